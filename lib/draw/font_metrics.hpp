// The letters of every picture, Inter's: how wide a text is, known without the font.
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

/// Width of the paper-coloured outline around a letter, of its size.
inline constexpr double kHaloWidth = 0.3;

/// Height of capitals and digits of a size, pixels.
double capital_height(double size);

/// Advance of a line of text as shown_text() shows it, pixels.
double text_width(std::string_view text, double size, bool bold = false);

/// `text` as every format can show it: UTF-8 whose control characters are blanks and whose
/// malformed bytes are U+FFFD.
std::string shown_text(std::string_view text);

}  // namespace tilewright
