#include "draw/palette.hpp"

#include <doctest/doctest.h>

#include "support/colour_vision.hpp"

using namespace tilewright;
using namespace tilewright::testing;

TEST_CASE("hues differ for every colour vision, adjacent hues by more") {
  for (const Matrix& vision : {kNormal, kProtanopia, kDeuteranopia, kTritanopia}) {
    for (int a = 0; a < palette::kHues; ++a) {
      CHECK(difference(palette::hue(a), palette::hue(a + 1), vision) >= 32);
      for (int b = 0; b < a; ++b) CHECK(difference(palette::hue(a), palette::hue(b), vision) >= 18);
    }
  }
}

TEST_CASE("dark text is legible on every fill") {
  // WCAG requires a contrast of 4.5 : 1 for small text.
  const auto contrast = [](Color fill) {
    return (luminance(fill) + 0.05) / (luminance(palette::kInk) + 0.05);
  };
  for (int i = 0; i < palette::kRampSteps; ++i) CHECK(contrast(palette::ramp_color(i)) >= 4.5);
  for (int i = 0; i < palette::kHues; ++i) CHECK(contrast(palette::hue(i)) >= 4.5);
  for (int i = 0; i < palette::kBankShades; ++i) CHECK(contrast(palette::bank_color(i)) >= 4.5);
  CHECK(contrast(palette::kPaper) >= 4.5);
}

TEST_CASE("the ramp darkens step by step and hues repeat") {
  for (int i = 1; i < palette::kRampSteps; ++i) {
    CHECK(luminance(palette::ramp_color(i)) < luminance(palette::ramp_color(i - 1)));
  }
  CHECK(palette::hue(palette::kHues + 2) == palette::hue(2));
}

TEST_CASE("all banks differ in colour, and so do adjacent threads") {
  for (int a = 0; a < palette::kBankShades; ++a) {
    for (int b = 0; b < a; ++b) CHECK(palette::bank_color(a) != palette::bank_color(b));
  }
  for (int64_t thread = 0; thread < 1024; ++thread) {
    CHECK(palette::thread_hue(thread) != palette::thread_hue(thread + 1));
    CHECK(palette::thread_hue(thread) != palette::thread_hue(thread + palette::kHues));
  }
}

TEST_CASE("launch, epilogue, fix-up and reduction differ from every hue, for every colour vision") {
  const Color kinds[] = {palette::kLaunch, palette::kEpilogue, palette::kFixUp,
                         palette::kReduction};
  for (const Matrix& vision : {kNormal, kProtanopia, kDeuteranopia, kTritanopia}) {
    for (const Color& kind : kinds) {
      for (int i = 0; i < palette::kHues; ++i) {
        CHECK(difference(kind, palette::hue(i), vision) >= 10);
      }
      CHECK(difference(kind, palette::kOverhang, vision) >= 20);  // idle
      for (const Color& other : kinds) {
        if (kind != other) CHECK(difference(kind, other, vision) >= 13);
      }
    }
  }
}

TEST_CASE("heat darkens in distinct steps, and dark text stays legible on it") {
  for (int i = 0; i < palette::kRampSteps; ++i) {
    const Color heat = palette::heat_color(i);
    CHECK((luminance(heat) + 0.05) / (luminance(palette::kInk) + 0.05) >= 4.5);
    if (i == 0) continue;
    CHECK(luminance(heat) < luminance(palette::heat_color(i - 1)));
    CHECK(difference(heat, palette::heat_color(i - 1), kNormal) >= 15);
    if (i == 1) continue;
    for (const Matrix& vision : {kNormal, kProtanopia, kDeuteranopia, kTritanopia}) {
      CHECK(difference(heat, palette::heat_color(i - 2), vision) >= 10);
    }
  }
}
