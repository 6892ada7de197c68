// The place of a shipped library's payload: its last mapped bytes.
//
//   .tw_payload   PayloadHeader | payload | 0 to 15 zeros, not mapped
//
// The section has its own segment after all others, so that a payload of any size fits.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tilewright {

inline constexpr std::string_view kPayloadSection = ".tw_payload";

inline constexpr std::array<char, 16> kPayloadMagic = {'t', 'i', 'l', 'e', 'w', 'r', 'i', 'g',
                                                       'h', 't', ' ', 's', 'h', 'i', 'p', '1'};

/// The section's first bytes; in a template they are the whole section.
struct alignas(16) PayloadHeader {
  std::array<char, 16> magic = kPayloadMagic;
  uint64_t bytes = 0;  // of the payload after the header
  uint64_t unused = 0;
};
static_assert(sizeof(PayloadHeader) == 32);

/// The payload of the library that contains this code; only templates link with it.
std::string_view own_payload();

}  // namespace tilewright
