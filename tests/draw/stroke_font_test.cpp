#include "draw/stroke_font.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

using namespace tilewright;

namespace {

constexpr double kSize = 100;

std::string printable() {
  std::string all;
  for (char c = 32; c < 127; ++c) all += c;
  return all;
}

}  // namespace

TEST_CASE("every printable character but the blank has strokes inside of its line") {
  for (const char c : printable()) {
    const std::string text(1, c);
    const std::vector<Stroke> strokes = text_strokes(text, {0, 0}, kSize);
    CAPTURE(text);
    CHECK(strokes.empty() == (c == ' '));
    const double half_pen = pen_width(kSize, false) / 2;
    for (const Stroke& stroke : strokes) {
      REQUIRE_FALSE(stroke.corners.empty());
      for (const StrokeCorner& corner : stroke.corners) {
        CHECK(corner.at.x >= half_pen - 1e-9);
        CHECK(corner.at.x <= text_width(text, kSize) - half_pen + 1e-9);
        CHECK(corner.at.y >= -1.15 * capital_height(kSize));
        CHECK(corner.at.y <= 0.4 * capital_height(kSize));
        CHECK(corner.radius >= 0);
      }
    }
  }
}

TEST_CASE("no two characters look the same") {
  const std::string all = printable();
  for (const char a : all) {
    for (const char b : all) {
      const bool same =
          text_strokes({&a, 1}, {0, 0}, kSize) == text_strokes({&b, 1}, {0, 0}, kSize);
      CHECK(same == (a == b));
    }
  }
}

TEST_CASE("capitals and digits stand on the baseline and reach the capital height") {
  for (const char c : std::string("0123456789ABCDEFGHIJKLMNOPRSTUVWXYZ")) {
    double top = 1e9;
    double bottom = -1e9;
    for (const Stroke& stroke : text_strokes({&c, 1}, {0, 50}, kSize)) {
      for (const StrokeCorner& corner : stroke.corners) {
        top = std::min(top, corner.at.y);
        bottom = std::max(bottom, corner.at.y);
      }
    }
    CAPTURE(c);
    CHECK(bottom == doctest::Approx(50));
    CHECK(top == doctest::Approx(50 - capital_height(kSize)));
  }
}

TEST_CASE("rounded corners never take more than their sides have") {
  for (const char c : printable()) {
    for (const Stroke& stroke : text_strokes({&c, 1}, {0, 0}, kSize)) {
      for (size_t i = 0; i + 1 < stroke.corners.size(); ++i) {
        const StrokeCorner& a = stroke.corners[i];
        const StrokeCorner& b = stroke.corners[i + 1];
        const double dx = a.at.x - b.at.x;
        const double dy = a.at.y - b.at.y;
        const double room = a.radius + b.radius;
        CHECK(room * room <= dx * dx + dy * dy + 1e-6);
      }
    }
  }
}

TEST_CASE("width grows with the text and scales with the size") {
  const std::string text = "Waves 0-9: {tile} 100 %";
  for (size_t i = 1; i < text.size(); ++i) {
    CHECK(text_width(text.substr(0, i), 12) < text_width(text.substr(0, i + 1), 12));
  }
  CHECK(text_width(text, 24) == doctest::Approx(2 * text_width(text, 12)));
  CHECK(text_width(text, 12, true) > text_width(text, 12));
  CHECK(text_width("", 12) == 0);
}

TEST_CASE("bytes beyond ASCII are boxes, not gaps") {
  CHECK(text_strokes("\x01", {0, 0}, kSize).size() == 1);
  CHECK(text_strokes("\xc3\xa4", {0, 0}, kSize).size() == 2);
}
