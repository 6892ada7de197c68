// The characters of a text in UTF-8.
#pragma once

#include <cstddef>
#include <string_view>

namespace tilewright {

/// The code of a byte that belongs to no character.
inline constexpr char32_t kMalformed = 0xfffd;

struct CodePoint {
  char32_t code = 0;
  size_t bytes = 1;
};

/// The first character of a non-empty text. A malformed byte is kMalformed and one byte long; so is
/// a byte of half a surrogate pair or of a noncharacter (U+FDD0 to U+FDEF, and those that end in
/// FFFE or FFFF).
CodePoint first_code_point(std::string_view text);

inline bool is_malformed(const CodePoint& point) {
  return point.code == kMalformed && point.bytes == 1;
}

/// U+0000 to U+001F and U+007F to U+009F.
constexpr bool is_control(char32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

/// Characters that end a line, change the direction of writing or have no glyph: with them a reader
/// sees a different text from the compiler's.
constexpr bool is_invisible(char32_t code) {
  return (code >= 0x200e && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069) || code == 0x061c || code == 0xfeff;
}

}  // namespace tilewright
