#include "harness/cubin_image.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "harness/elf_parts.hpp"

namespace tilewright {
namespace {

constexpr Elf64_Half kCudaMachine = 190;              // EM_CUDA
constexpr std::string_view kInfo = ".nv.info.";       // and a kernel's name
constexpr std::string_view kSharedInfo = ".nv.info";  // of all kernels
constexpr std::string_view kShared = ".nv.shared.";   // and a kernel's name
constexpr std::string_view kSymbols = ".symtab";

// An attribute: a format, a code, and 16 bits that hold a value or the size of the value behind.
struct Attribute {
  uint8_t format = 0;
  uint8_t code = 0;
  uint16_t size = 0;
};
constexpr uint8_t kSizedFormat = 4;
constexpr uint8_t kRequiredThreads = 0x10;
constexpr uint8_t kParameter = 0x17;
constexpr uint8_t kFrameBytes = 0x11;
constexpr uint8_t kRegisters = 0x2f;

// The value of kParameter. The flags hold the size from bit 18.
struct ParameterInfo {
  uint32_t index = 0;
  uint16_t ordinal = 0;
  uint16_t offset = 0;
  uint32_t flags = 0;
};
constexpr int kSizeShift = 18;

// The value of kFrameBytes and of kRegisters, in the section of all kernels.
struct OfSymbol {
  uint32_t symbol = 0;  // index
  uint32_t value = 0;
};

// The text in a table of names that begins at `place`; empty outside of the table.
std::string_view name_at(std::string_view names, uint64_t place) {
  if (place >= names.size()) return {};
  const std::string_view rest = names.substr(place);
  return rest.substr(0, rest.find('\0'));
}

void read_attribute(std::string_view value, uint8_t code, CubinKernel& kernel,
                    std::vector<std::pair<int, CubinParameter>>& found) {
  if (code == kRequiredThreads) {
    uint32_t extents[3] = {};
    if (!read_at(value, 0, extents)) return;
    kernel.required_threads = 1;
    for (const uint32_t extent : extents) {
      const int64_t most = std::numeric_limits<int64_t>::max() / (int64_t{extent} + 1);
      kernel.required_threads = std::min(kernel.required_threads, most) * int64_t{extent};
    }
  }
  ParameterInfo info;
  if (code != kParameter || !read_at(value, 0, info)) return;
  found.push_back({info.ordinal, {info.offset, static_cast<int>(info.flags >> kSizeShift)}});
}

// Calls take(value, code) for every attribute that has a size.
template <class Take>
void for_each_attribute(std::string_view section, const Take& take) {
  uint64_t place = 0;
  Attribute attribute;
  while (read_at(section, place, attribute)) {
    place += sizeof(Attribute);
    if (attribute.format != kSizedFormat) continue;
    if (section.size() - place < attribute.size) break;
    take(section.substr(place, attribute.size), attribute.code);
    place += attribute.size;
  }
}

CubinKernel read_kernel(std::string_view name, std::string_view section) {
  CubinKernel kernel{.name = std::string(name), .parameters = {}};
  std::vector<std::pair<int, CubinParameter>> found;
  for_each_attribute(section, [&](std::string_view value, uint8_t code) {
    read_attribute(value, code, kernel, found);
  });
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& parameter : found) kernel.parameters.push_back(parameter.second);
  return kernel;
}

// A cubin's sections by name.
class CubinSections {
 public:
  CubinSections(std::string_view image, const std::vector<Elf64_Shdr>& headers, size_t names)
      : image_(image), headers_(headers) {
    if (names < headers.size()) names_ = bytes_of_section(image, headers[names]);
  }

  std::string_view name(const Elf64_Shdr& header) const { return name_at(names_, header.sh_name); }
  std::string_view bytes(const Elf64_Shdr& header) const {
    return bytes_of_section(image_, header);
  }

  const Elf64_Shdr* find(std::string_view wanted) const {
    const auto found = std::find_if(headers_.begin(), headers_.end(),
                                    [&](const Elf64_Shdr& one) { return name(one) == wanted; });
    return found == headers_.end() ? nullptr : &*found;
  }

  // The name of a symbol; empty where there is none.
  std::string_view symbol(uint32_t index) const {
    const Elf64_Shdr* const table = find(kSymbols);
    Elf64_Sym symbol{};
    if (table == nullptr || table->sh_link >= headers_.size()) return {};
    if (!read_at(bytes(*table), uint64_t{index} * sizeof(symbol), symbol)) return {};
    return name_at(bytes(headers_[table->sh_link]), symbol.st_name);
  }

 private:
  std::string_view image_;
  const std::vector<Elf64_Shdr>& headers_;
  std::string_view names_;
};

// Reads what a CTA of each kernel occupies.
void read_occupancy(const CubinSections& sections, std::vector<CubinKernel>& kernels) {
  constexpr uint32_t kMax = std::numeric_limits<int32_t>::max();
  for (CubinKernel& kernel : kernels) {
    const Elf64_Shdr* const shared = sections.find(std::string(kShared) + kernel.name);
    if (shared == nullptr) continue;
    kernel.shared_bytes = static_cast<int64_t>(std::min<uint64_t>(shared->sh_size, kMax));
  }
  const Elf64_Shdr* const info = sections.find(kSharedInfo);
  if (info == nullptr) return;
  for_each_attribute(sections.bytes(*info), [&](std::string_view value, uint8_t code) {
    OfSymbol one;
    if ((code != kFrameBytes && code != kRegisters) || !read_at(value, 0, one)) return;
    const std::string_view name = sections.symbol(one.symbol);
    for (CubinKernel& kernel : kernels) {
      if (kernel.name != name) continue;
      (code == kRegisters ? kernel.registers : kernel.local_bytes) =
          static_cast<int>(std::min(one.value, kMax));
    }
  });
}

}  // namespace

std::vector<CubinKernel> kernels_of_cubin(std::string_view image) {
  const auto sections = sections_of(image);
  Elf64_Ehdr header{};
  if (!sections || !read_at(image, 0, header) || header.e_machine != kCudaMachine) {
    throw usage_error("is no cubin: ptxas and nvcc -cubin write one");
  }
  std::vector<CubinKernel> kernels;
  const CubinSections named(image, *sections, header.e_shstrndx);
  for (const Elf64_Shdr& section : *sections) {
    const std::string_view name = named.name(section);
    if (!name.starts_with(kInfo)) continue;
    kernels.push_back(read_kernel(name.substr(kInfo.size()), named.bytes(section)));
  }
  read_occupancy(named, kernels);
  return kernels;
}

}  // namespace tilewright
