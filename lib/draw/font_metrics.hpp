// The letters of every picture, Inter's: how wide a text is, known without the font.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

/// The size of the numbers at an axis.
inline constexpr double kTickSize = 11;

/// The size of what an axis is called.
inline constexpr double kNameSize = 12;

/// Width of the paper-coloured outline around a letter, of its size.
inline constexpr double kHaloWidth = 0.3;

/// Height of capitals and digits of a size, pixels.
double capital_height(double size);

/// Advance of a line of text as shown_text() shows it, pixels.
double text_width(std::string_view text, double size, bool bold = false);

/// The text in lines of at most `width` pixels, broken at blanks, else behind commas, else
/// anywhere; a letter that is wider stands alone. One line, as it is, where `width` is 0.
std::vector<std::string> text_lines(std::string_view text, double size, bool bold, double width);

/// `text` as every format can show it: UTF-8 whose control characters are blanks and whose
/// malformed bytes are U+FFFD.
std::string shown_text(std::string_view text);

/// The bytes of the OpenType file that the program carries, there as long as it runs: Inter, by its
/// authors under the SIL Open Font License 1.1.
std::span<const unsigned char> font_file(bool bold);

}  // namespace tilewright
