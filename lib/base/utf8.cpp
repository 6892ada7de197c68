#include "base/utf8.hpp"

#include <array>

namespace tilewright {

CodePoint first_code_point(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return {byte(0), 1};
  const size_t length = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || length > text.size()) return {kMalformed, 1};
  char32_t code = byte(0) & (0xffU >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return {kMalformed, 1};
    code = (code << 6U) | (byte(i) & 0x3fU);
  }
  constexpr std::array<char32_t, 5> kMin = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  const bool no_character = (code & 0xfffeU) == 0xfffeU || (code >= 0xfdd0 && code <= 0xfdef);
  if (code < kMin[length] || code > 0x10ffff || surrogate || no_character) {
    return {kMalformed, 1};
  }
  return {code, length};
}

}  // namespace tilewright
