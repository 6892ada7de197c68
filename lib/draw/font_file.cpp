#include "draw/font_file.hpp"

// The assembler copies the files: no array of half a million numbers for the compiler.
asm(R"(
    .section .rodata
    .balign 16
tilewright_font_regular:
    .incbin ")" TILEWRIGHT_FONT_REGULAR R"("
tilewright_font_regular_end:
    .balign 16
tilewright_font_bold:
    .incbin ")" TILEWRIGHT_FONT_BOLD R"("
tilewright_font_bold_end:
    .global tilewright_font_regular
    .global tilewright_font_regular_end
    .global tilewright_font_bold
    .global tilewright_font_bold_end
    .hidden tilewright_font_regular
    .hidden tilewright_font_regular_end
    .hidden tilewright_font_bold
    .hidden tilewright_font_bold_end
    .previous
)");

extern "C" {
extern const unsigned char tilewright_font_regular[] __attribute__((visibility("hidden")));
extern const unsigned char tilewright_font_regular_end[] __attribute__((visibility("hidden")));
extern const unsigned char tilewright_font_bold[] __attribute__((visibility("hidden")));
extern const unsigned char tilewright_font_bold_end[] __attribute__((visibility("hidden")));
}

namespace tilewright {

std::span<const unsigned char> font_file(bool bold) {
  return bold ? std::span(tilewright_font_bold, tilewright_font_bold_end)
              : std::span(tilewright_font_regular, tilewright_font_regular_end);
}

}  // namespace tilewright
