// Where a shipped library keeps its payload: the last bytes that are mapped of it.
//
//   .tw_payload   PayloadHeader | payload | 0 to 15 zeros, not mapped
//
// The section has a segment of its own behind all others, so that a payload of any size fits.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tilewright {

inline constexpr std::string_view kPayloadSection = ".tw_payload";

inline constexpr std::array<char, 16> kPayloadMagic = {'t', 'i', 'l', 'e', 'w', 'r', 'i', 'g',
                                                       'h', 't', ' ', 's', 'h', 'i', 'p', '1'};

/// What the section begins with; in a template it is all of it.
struct alignas(16) PayloadHeader {
  std::array<char, 16> magic = kPayloadMagic;
  uint64_t bytes = 0;  // of the payload behind the header
  uint64_t unused = 0;
};
static_assert(sizeof(PayloadHeader) == 32);

/// The payload of the library that this is linked into, which only templates are linked with.
std::string_view own_payload();

}  // namespace tilewright
