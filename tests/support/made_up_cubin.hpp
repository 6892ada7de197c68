// Cubins without machine code: ELF images that describe the parameters of kernels.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace tilewright::testing {

/// A kernel's symbol, the bytes of each parameter, the threads of a CTA that it requires (0: any
/// number), and what a thread and a CTA occupy.
struct MadeUpKernel {
  std::string name;
  std::vector<int> parameter_bytes;
  int required_threads = 0;
  int registers = 0;  // 0: not in the image
  int local_bytes = 0;
  int shared_bytes = 0;
};

template <class Part>
void append_part(std::string& bytes, const Part& part) {
  bytes.append(reinterpret_cast<const char*>(&part), sizeof(Part));
}

/// The section .nv.info.NAME: its parameters in descending order, as ptxas writes them, between
/// attributes of other kinds.
inline std::string made_up_info(const MadeUpKernel& kernel) {
  std::string info;
  const auto attribute = [&info](int format, int code, int size) {
    info += {static_cast<char>(format), static_cast<char>(code)};
    append_part(info, static_cast<uint16_t>(size));
  };
  attribute(4, 0x37, 4);
  append_part(info, uint32_t{0x82});
  std::vector<int> offsets;
  int end = 0;
  for (const int bytes : kernel.parameter_bytes) {
    const int unit = bytes > 8 ? 64 : bytes;
    offsets.push_back((end + unit - 1) / unit * unit);
    end = offsets.back() + bytes;
  }
  for (size_t i = offsets.size(); i-- > 0;) {
    attribute(4, 0x17, 12);
    append_part(info, uint32_t{0});
    append_part(info, static_cast<uint16_t>(i));
    append_part(info, static_cast<uint16_t>(offsets[i]));
    append_part(info, static_cast<uint32_t>(kernel.parameter_bytes[i]) << 18 | 0x1f000U);
  }
  attribute(3, 0x1b, 255);
  if (kernel.required_threads > 0) {
    attribute(4, 0x10, 12);
    append_part(info, static_cast<uint32_t>(kernel.required_threads));
    append_part(info, uint32_t{1});
    append_part(info, uint32_t{1});
  }
  return info;
}

/// The sections .nv.info, which has what a thread of each kernel occupies, .symtab and .strtab.
inline std::vector<std::pair<std::string, std::string>> made_up_symbols(
    const std::vector<MadeUpKernel>& kernels) {
  std::string info;
  std::string symbols;
  std::string names(1, '\0');
  for (size_t i = 0; i < kernels.size(); ++i) {
    Elf64_Sym symbol{};
    symbol.st_name = static_cast<Elf64_Word>(names.size());
    append_part(symbols, symbol);
    names += kernels[i].name + '\0';
    if (kernels[i].registers == 0) continue;
    for (const auto& [code, value] :
         {std::pair(0x2f, kernels[i].registers), std::pair(0x11, kernels[i].local_bytes)}) {
      info += {char{4}, static_cast<char>(code)};
      append_part(info, uint16_t{8});
      append_part(info, static_cast<uint32_t>(i));
      append_part(info, static_cast<uint32_t>(value));
    }
  }
  return {{".nv.info", info}, {".symtab", symbols}, {".strtab", names}};
}

inline std::string made_up_cubin(const std::vector<MadeUpKernel>& kernels) {
  std::vector<std::pair<std::string, std::string>> sections = {{"", ""}, {".shstrtab", ""}};
  for (auto& section : made_up_symbols(kernels)) sections.push_back(std::move(section));
  const size_t first_kernel = sections.size();
  for (const MadeUpKernel& kernel : kernels) {
    sections.emplace_back(".nv.info." + kernel.name, made_up_info(kernel));
    sections.emplace_back(".nv.shared." + kernel.name, "");
  }
  std::string names;
  std::vector<Elf64_Shdr> headers(sections.size());
  for (size_t i = 0; i < sections.size(); ++i) {
    headers[i].sh_name = static_cast<Elf64_Word>(names.size());
    names += sections[i].first + '\0';
  }
  sections[1].second = names;
  std::string body;
  for (size_t i = 0; i < sections.size(); ++i) {
    headers[i].sh_offset = sizeof(Elf64_Ehdr) + body.size();
    headers[i].sh_size = sections[i].second.size();
    body += sections[i].second;
    if (sections[i].first == ".symtab") headers[i].sh_link = static_cast<Elf64_Word>(i + 1);
  }
  for (size_t i = 0; i < kernels.size(); ++i) {
    Elf64_Shdr& shared = headers[first_kernel + 2 * i + 1];
    shared.sh_type = SHT_NOBITS;
    shared.sh_size = static_cast<Elf64_Xword>(kernels[i].shared_bytes);
  }
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_machine = 190;  // EM_CUDA
  header.e_shoff = sizeof(Elf64_Ehdr) + body.size();
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<Elf64_Half>(headers.size());
  header.e_shstrndx = 1;
  std::string image;
  append_part(image, header);
  image += body;
  for (const Elf64_Shdr& one : headers) append_part(image, one);
  return image;
}

/// The two cubins of presets/harness/cubin_gemm: their kernels' parameters.
inline std::string made_up_gemm_cubin() {
  return made_up_cubin({{"multiply", {128, 128, 8, 4, 4, 4}}, {"sum", {48}}});
}

}  // namespace tilewright::testing
