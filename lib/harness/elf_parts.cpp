#include "harness/elf_parts.hpp"

namespace tilewright {

std::optional<std::vector<Elf64_Shdr>> sections_of(std::string_view image) {
  Elf64_Ehdr header{};
  const bool is_elf = read_at(image, 0, header) &&
                      std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
                      header.e_ident[EI_CLASS] == ELFCLASS64;
  if (!is_elf || header.e_shentsize != sizeof(Elf64_Shdr)) return std::nullopt;
  std::vector<Elf64_Shdr> sections;
  for (uint64_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section{};
    if (!read_at(image, header.e_shoff + i * sizeof(Elf64_Shdr), section)) break;
    sections.push_back(section);
  }
  return sections;
}

std::string_view bytes_of_section(std::string_view image, const Elf64_Shdr& section) {
  if (section.sh_offset > image.size()) return {};
  if (image.size() - section.sh_offset < section.sh_size) return {};
  return image.substr(section.sh_offset, section.sh_size);
}

}  // namespace tilewright
