// Reads structs out of an ELF image that may be truncated or malformed.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

namespace tilewright {

/// Copies a part of the image from `place`; false where the image ends before the part does.
template <class Part>
bool read_at(std::string_view image, uint64_t place, Part& part) {
  if (place > image.size() || image.size() - place < sizeof(Part)) return false;
  std::memcpy(&part, image.data() + place, sizeof(Part));
  return true;
}

/// The headers of the sections of a 64-bit ELF image; nullopt for any other image.
std::optional<std::vector<Elf64_Shdr>> sections_of(std::string_view image);

/// The bytes of a section; empty where it does not lie within the image.
std::string_view bytes_of_section(std::string_view image, const Elf64_Shdr& section);

}  // namespace tilewright
