#include "harness/cubin_image.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "harness/elf_parts.hpp"

namespace tilewright {
namespace {

constexpr Elf64_Half kCudaMachine = 190;  // EM_CUDA
constexpr std::string_view kInfo = ".nv.info.";

// An attribute: a format, a code, and 16 bits that hold a value or the size of the value behind.
struct Attribute {
  uint8_t format = 0;
  uint8_t code = 0;
  uint16_t size = 0;
};
constexpr uint8_t kSizedFormat = 4;
constexpr uint8_t kRequiredThreads = 0x10;
constexpr uint8_t kParameter = 0x17;

// The value of kParameter. The flags hold the size from bit 18.
struct ParameterInfo {
  uint32_t index = 0;
  uint16_t ordinal = 0;
  uint16_t offset = 0;
  uint32_t flags = 0;
};
constexpr int kSizeShift = 18;

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

CubinKernel read_kernel(std::string_view name, std::string_view section) {
  CubinKernel kernel{.name = std::string(name), .parameters = {}};
  std::vector<std::pair<int, CubinParameter>> found;
  uint64_t place = 0;
  Attribute attribute;
  while (read_at(section, place, attribute)) {
    place += sizeof(Attribute);
    if (attribute.format != kSizedFormat) continue;
    if (section.size() - place < attribute.size) break;
    read_attribute(section.substr(place, attribute.size), attribute.code, kernel, found);
    place += attribute.size;
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& parameter : found) kernel.parameters.push_back(parameter.second);
  return kernel;
}

}  // namespace

std::vector<CubinKernel> kernels_of_cubin(std::string_view image) {
  const auto sections = sections_of(image);
  Elf64_Ehdr header{};
  if (!sections || !read_at(image, 0, header) || header.e_machine != kCudaMachine) {
    throw usage_error("is no cubin: ptxas and nvcc -cubin write one");
  }
  std::vector<CubinKernel> kernels;
  if (header.e_shstrndx >= sections->size()) return kernels;
  const std::string_view names = bytes_of_section(image, (*sections)[header.e_shstrndx]);
  for (const Elf64_Shdr& section : *sections) {
    const std::string_view name = name_at(names, section.sh_name);
    if (!name.starts_with(kInfo)) continue;
    kernels.push_back(read_kernel(name.substr(kInfo.size()), bytes_of_section(image, section)));
  }
  return kernels;
}

}  // namespace tilewright
