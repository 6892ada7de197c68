#include "draw/font_file.hpp"

// The assembler copies the files: no array of half a million numbers for the compiler.
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
