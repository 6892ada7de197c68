#include "draw/font_metrics.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/utf8.hpp"

namespace tilewright {

namespace {

constexpr char32_t kFirst = 32;
constexpr size_t kLetters = 95;

// Advances of ASCII 32 to 126, in thousandths of the font size. They stand here, not in the font's
// file, so that another release of the font moves nothing; a test compares both.
constexpr std::array<int, kLetters> kRegular = {
    281, 278, 403, 631, 638, 813, 639, 222, 362, 362, 500, 659, 280, 460, 276, 357,  //
    625, 464, 605, 636, 642, 608, 624, 571, 616, 624, 276, 280, 659, 659, 659, 507,  //
    936, 676, 651, 727, 719, 598, 587, 743, 740, 264, 543, 652, 563, 889, 753, 761,  //
    635, 761, 639, 638, 642, 741, 676, 949, 642, 665, 625, 362, 357, 362, 469, 452,  //
    497, 564, 621, 558, 621, 582, 361, 609, 591, 237, 237, 544, 237, 869, 585, 597,  //
    609, 609, 372, 523, 364, 581, 557, 813, 540, 557, 541, 362, 327, 362, 659};
constexpr std::array<int, kLetters> kBold = {
    248, 309, 396, 643, 649, 844, 663, 213,  393, 393, 543, 673, 295, 466, 290, 379,  //
    667, 481, 621, 652, 666, 632, 648, 587,  646, 648, 290, 295, 673, 673, 673, 544,  //
    999, 724, 657, 744, 724, 608, 586, 755,  744, 275, 561, 677, 566, 906, 741, 775,  //
    643, 776, 651, 649, 660, 734, 724, 1007, 690, 705, 653, 393, 379, 393, 481, 468,  //
    497, 575, 630, 577, 630, 593, 377, 625,  613, 261, 261, 569, 261, 898, 610, 608,  //
    625, 625, 397, 549, 380, 608, 576, 837,  563, 576, 562, 393, 358, 393, 673};
constexpr int kOtherLetter = 700;
constexpr int kWideLetter = 1000;
constexpr char32_t kFirstWide = 0x2e80;  // first code of Chinese, Japanese, Korean and what follows
constexpr double kCapital = 0.7273;

}  // namespace

double capital_height(double size) {
  return size * kCapital;
}

double text_width(std::string_view text, double size, bool bold) {
  const std::array<int, kLetters>& advances = bold ? kBold : kRegular;
  int64_t sum = 0;
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    const char32_t code = is_control(point.code) ? kFirst : point.code;
    if (code - kFirst < kLetters) {
      sum += advances[code - kFirst];
    } else {
      sum += code >= kFirstWide && code != kMalformed ? kWideLetter : kOtherLetter;
    }
    text.remove_prefix(point.bytes);
  }
  return static_cast<double>(sum) * size / 1000;
}

std::vector<std::string> text_lines(std::string_view text, double size, bool bold, double width) {
  std::vector<std::string> lines;
  while (width > 0 && text_width(text, size, bold) > width) {
    size_t end = 0;  // end of the piece that fits
    while (end < text.size()) {
      const size_t next = end + first_code_point(text.substr(end)).bytes;
      if (end > 0 && text_width(text.substr(0, next), size, bold) > width) break;
      end = next;
    }
    const size_t blank = text.rfind(' ', end);
    const size_t comma = text.substr(0, end).rfind(',');
    const bool at_blank = blank != std::string_view::npos && blank > 0;
    if (!at_blank && comma != std::string_view::npos) end = comma + 1;
    lines.emplace_back(text.substr(0, at_blank ? blank : end));
    text.remove_prefix(at_blank ? blank + 1 : end);
  }
  if (!text.empty() || lines.empty()) lines.emplace_back(text);
  return lines;
}

std::string shown_text(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    if (is_control(point.code)) {
      shown += ' ';
    } else if (point.code == kMalformed) {
      shown += "\xef\xbf\xbd";
    } else {
      shown += text.substr(0, point.bytes);
    }
    text.remove_prefix(point.bytes);
  }
  return shown;
}

}  // namespace tilewright

// The assembler embeds the files: the compiler need not parse an array of half a million numbers.
asm(R"(
    .section .rodata
    .balign 16
kTilewrightFontRegular:
    .incbin ")" TILEWRIGHT_FONT_REGULAR R"("
kTilewrightFontRegularEnd:
    .balign 16
kTilewrightFontBold:
    .incbin ")" TILEWRIGHT_FONT_BOLD R"("
kTilewrightFontBoldEnd:
    .global kTilewrightFontRegular
    .global kTilewrightFontRegularEnd
    .global kTilewrightFontBold
    .global kTilewrightFontBoldEnd
    .hidden kTilewrightFontRegular
    .hidden kTilewrightFontRegularEnd
    .hidden kTilewrightFontBold
    .hidden kTilewrightFontBoldEnd
    .previous
)");

extern "C" {
extern const unsigned char kTilewrightFontRegular[] __attribute__((visibility("hidden")));
extern const unsigned char kTilewrightFontRegularEnd[] __attribute__((visibility("hidden")));
extern const unsigned char kTilewrightFontBold[] __attribute__((visibility("hidden")));
extern const unsigned char kTilewrightFontBoldEnd[] __attribute__((visibility("hidden")));
}

namespace tilewright {

std::span<const unsigned char> font_file(bool bold) {
  return bold ? std::span(kTilewrightFontBold, kTilewrightFontBoldEnd)
              : std::span(kTilewrightFontRegular, kTilewrightFontRegularEnd);
}

}  // namespace tilewright
