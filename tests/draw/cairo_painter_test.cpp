#include "draw/cairo_painter.hpp"

#include <doctest/doctest.h>

#include <string>

#include "draw/machine_font.hpp"

using namespace tilewright;

namespace {

Scene with_text(const std::string& text) {
  Scene scene{.width = 80, .height = 40};
  scene.items.push_back(LabelItem{.role = "title", .at = {10, 28}, .text = text, .size = 19});
  return scene;
}

std::string image(const std::string& text) {
  return png_image(with_text(text), 160, 80);
}

// Two letters of a script that is missing in the program's font.
struct Script {
  char32_t code;
  std::string first;
  std::string second;
};
const Script kScripts[] = {{U'\u0531', "\xd4\xb1", "\xd4\xb4"},           // Armenian
                           {U'\u10d0', "\xe1\x83\x90", "\xe1\x83\xa8"},   // Georgian
                           {U'\u9806', "\xe9\xa0\x86", "\xe5\xba\x8f"},   // Chinese
                           {U'\u30bf', "\xe3\x82\xbf", "\xe3\x83\xab"},   // Japanese
                           {U'\ubd84', "\xeb\xb6\x84", "\xed\x95\xa0"}};  // Korean

}  // namespace

TEST_CASE("letters missing in the program's font come from the machine's fonts or are reported") {
  for (const Script& script : kScripts) {
    CAPTURE(script.first);
    const std::string missing = letters_without_glyph(with_text(script.first + "x" + script.first));
    if (machine_font(script.code, false)) {
      CHECK(missing.empty());
      CHECK((image(script.first) != image(script.second)));  // letters, not two boxes
    } else {
      CHECK(missing == script.first);
      CHECK((image(script.first) == image(script.second)));
    }
  }
}

TEST_CASE("a letter without any font is reported once, one of the program's font never") {
  const std::string lost = "\xf3\xaf\xbf\xbd";  // U+EFFFD
  CHECK(letters_without_glyph(with_text("a" + lost + " b" + lost)) == lost);
  CHECK(letters_without_glyph(with_text("swizzle-merge:8 on 64x32 tiles, 5.6x \xc3\xa4")).empty());
}

TEST_CASE("a text that needs several fonts is painted at every anchor") {
  Scene scene = with_text("a\xd4\xb1z");
  std::get<LabelItem>(scene.items.back()).halo = Color{255, 255, 255};
  for (const Anchor anchor : {Anchor::Start, Anchor::Middle, Anchor::End}) {
    std::get<LabelItem>(scene.items.back()).anchor = anchor;
    CHECK_FALSE(png_image(scene, 160, 80).empty());
    CHECK(pdf_document(scene, 80, 40).find("/FontFile") != std::string::npos);
  }
}
