#include "draw/series_look.hpp"

#include <doctest/doctest.h>

#include "draw/palette.hpp"
#include "support/colour_vision.hpp"
#include "support/scenes.hpp"

using namespace tilewright;
using namespace tilewright::testing;

TEST_CASE("lines of a chart differ for every colour vision, and from the paper") {
  for (size_t a = 0; a < kSeriesLooks; ++a) {
    // WCAG requires a contrast of 3 : 1 for lines.
    CHECK(1.05 / (luminance(series_color(a)) + 0.05) >= 3);
    for (size_t b = 0; b < a; ++b) {
      for (const Matrix& eye : {kNormal, kProtanopia, kDeuteranopia, kTritanopia}) {
        CHECK(difference(series_color(a), series_color(b), eye) >= 20);
      }
    }
  }
}

TEST_CASE("the points of four consecutive series have four shapes, each around its position") {
  std::vector<Scene> shapes;
  for (size_t series = 0; series < 4; ++series) {
    SceneItem item = series_point(series, {10, 20}, 4);
    const Box box = box_of(item);
    CHECK((box.left + box.right) / 2 == doctest::Approx(10));
    CHECK(overlap(box, {9, 19, 11, 21}));
    CHECK(box.right - box.left <= 12);
    std::visit(
        [](auto& it) {
          if constexpr (requires { it.style; }) it.style = {};
        },
        item);
    shapes.push_back(Scene{.items = {item}});
  }
  for (size_t a = 0; a < 4; ++a) {
    for (size_t b = 0; b < a; ++b) CHECK(dump(shapes[a]) != dump(shapes[b]));
  }
}
