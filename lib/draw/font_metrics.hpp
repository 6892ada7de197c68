// Text widths of Inter, the font of every picture, from a table instead of the font file.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

/// Font size of the numbers at an axis.
inline constexpr double kTickSize = 11;

/// Font size of an axis name.
inline constexpr double kNameSize = 12;

/// Width of the paper-coloured outline around a letter, as a share of the font size.
inline constexpr double kHaloWidth = 0.3;

/// Height of capitals and digits at a font size, pixels.
double capital_height(double size);

/// Advance of a line of text as shown_text() shows it, pixels.
double text_width(std::string_view text, double size, bool bold = false);

/// Breaks the text into lines of at most `width` pixels: at blanks, else behind commas, else
/// anywhere. A letter wider than `width` has a line of its own. With `width` 0 the text stays one
/// line.
std::vector<std::string> text_lines(std::string_view text, double size, bool bold, double width);

/// Makes `text` valid in every format: control characters become blanks, malformed UTF-8 bytes
/// become U+FFFD.
std::string shown_text(std::string_view text);

/// The OpenType file of Inter that is linked into the program, valid until it exits. Inter's
/// authors license it under the SIL Open Font License 1.1.
std::span<const unsigned char> font_file(bool bold);

}  // namespace tilewright
