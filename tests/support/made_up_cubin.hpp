// Cubins without machine code: ELF images that describe the parameters of kernels.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace tilewright::testing {

/// A kernel's symbol, the bytes of each parameter, and the threads of a CTA that it requires
/// (0: any number).
struct MadeUpKernel {
  std::string name;
  std::vector<int> parameter_bytes;
  int required_threads = 0;
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

inline std::string made_up_cubin(const std::vector<MadeUpKernel>& kernels) {
  std::vector<std::pair<std::string, std::string>> sections = {{"", ""}, {".shstrtab", ""}};
  for (const MadeUpKernel& kernel : kernels) {
    sections.emplace_back(".nv.info." + kernel.name, made_up_info(kernel));
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
  return made_up_cubin({{"multiply", {128, 128, 8, 4, 4, 4}}, {"sum", {8, 8, 4, 4, 8, 4, 4}}});
}

}  // namespace tilewright::testing
