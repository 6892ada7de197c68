#include "harness/own_symbols.hpp"

#include <elf.h>

#include <cstring>

namespace tilewright {
namespace {

// Copies a part of the image from `place`; false where the image ends before the part does.
template <class Part>
bool read_at(const std::string& image, uint64_t place, Part& part) {
  if (place > image.size() || image.size() - place < sizeof(Part)) return false;
  std::memcpy(&part, image.data() + place, sizeof(Part));
  return true;
}

int64_t unshare_table(std::string& image, const Elf64_Shdr& table) {
  int64_t count = 0;
  const uint64_t end = table.sh_offset + table.sh_size;
  for (uint64_t place = table.sh_offset; place < end; place += sizeof(Elf64_Sym)) {
    Elf64_Sym symbol{};
    if (!read_at(image, place, symbol)) return count;
    if (ELF64_ST_BIND(symbol.st_info) != STB_GNU_UNIQUE) continue;
    symbol.st_info = ELF64_ST_INFO(STB_WEAK, ELF64_ST_TYPE(symbol.st_info));
    std::memcpy(image.data() + place, &symbol, sizeof(symbol));
    ++count;
  }
  return count;
}

}  // namespace

int64_t unshare_symbols(std::string& image) {
  Elf64_Ehdr header{};
  const bool is_elf = read_at(image, 0, header) &&
                      std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
                      header.e_ident[EI_CLASS] == ELFCLASS64;
  if (!is_elf || header.e_shentsize != sizeof(Elf64_Shdr)) return 0;
  int64_t count = 0;
  for (uint64_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr table{};
    if (!read_at(image, header.e_shoff + i * sizeof(Elf64_Shdr), table)) break;
    if (table.sh_type == SHT_DYNSYM) count += unshare_table(image, table);
  }
  return count;
}

}  // namespace tilewright
