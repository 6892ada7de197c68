#include "draw/font_metrics.hpp"

#include <doctest/doctest.h>
#include <ft2build.h>
#include FT_FREETYPE_H

#include <cmath>
#include <string>

using namespace tilewright;

TEST_CASE("widths and heights are those of the font that the program carries") {
  // Releases of the font differ by less than a reader sees.
  constexpr double kNear = 0.03;
  FT_Library library = nullptr;
  REQUIRE(FT_Init_FreeType(&library) == 0);
  for (const bool bold : {false, true}) {
    const auto file = font_file(bold);
    FT_Face face = nullptr;
    REQUIRE(FT_New_Memory_Face(library, file.data(), static_cast<FT_Long>(file.size()), 0, &face) ==
            0);
    CHECK(std::string(face->family_name).substr(0, 5) == "Inter");
    const auto em = static_cast<double>(face->units_per_EM);
    for (char c = 32; c < 127; ++c) {
      CAPTURE(c);
      REQUIRE(FT_Load_Char(face, static_cast<FT_ULong>(c), FT_LOAD_NO_SCALE) == 0);
      const double advance = static_cast<double>(face->glyph->metrics.horiAdvance) / em;
      CHECK(std::abs(text_width({&c, 1}, 1, bold) - advance) <= kNear);
    }
    REQUIRE(FT_Load_Char(face, 'H', FT_LOAD_NO_SCALE) == 0);
    const double high = static_cast<double>(face->glyph->metrics.horiBearingY) / em;
    CHECK(std::abs(capital_height(1) - high) <= 0.01);
    FT_Done_Face(face);
  }
  FT_Done_FreeType(library);
}

TEST_CASE("width grows with the text and scales with the size") {
  const std::string text = "Waves 0-9: {tile} 100 %";
  for (size_t i = 1; i < text.size(); ++i) {
    CHECK(text_width(text.substr(0, i), 12) < text_width(text.substr(0, i + 1), 12));
  }
  CHECK(text_width(text, 24) == doctest::Approx(2 * text_width(text, 12)));
  CHECK(text_width(text, 12, true) > text_width(text, 12));
  CHECK(text_width("", 12) == 0);
  CHECK(text_width("\xc3\xa4", 12) == text_width("\xc3\xb6", 12));  // one letter, two bytes
  CHECK(text_width("\xc3\xa4", 12) < text_width("\xe4\xb8\xad", 12));
}

TEST_CASE("what cannot be shown is replaced, the rest stays") {
  const std::string lost = "\xef\xbf\xbd";
  CHECK(shown_text("tile 7 \xc3\xa4 \xe4\xb8\xad \xf0\x9f\x9a\x80") ==
        "tile 7 \xc3\xa4 \xe4\xb8\xad \xf0\x9f\x9a\x80");
  CHECK(shown_text("a\tb\x1b[1m\x7f\xc2\x85") == "a b [1m  ");
  CHECK(shown_text("\xff") == lost);
  CHECK(shown_text("\xc3") == lost);                        // cut off
  CHECK(shown_text("\xc0\xaf") == lost + lost);             // longer than it needs to be
  CHECK(shown_text("\xed\xa0\x80") == lost + lost + lost);  // half of a pair
  CHECK(shown_text("\xef\xbf\xbf") == lost + lost + lost);  // no character, and no XML
  CHECK(shown_text("") == "");
}
