#include "draw/wave_strip.hpp"

#include <doctest/doctest.h>

#include "draw/palette.hpp"
#include "support/scenes.hpp"

using namespace tilewright;
using namespace tilewright::testing;

namespace {

std::vector<WaveReuse> waves(size_t count) {
  std::vector<WaveReuse> all;
  for (size_t i = 0; i < count; ++i) {
    all.push_back({132, 1e6 * static_cast<double>(1 + i % 7), 1e7});
  }
  return all;
}

}  // namespace

TEST_CASE("heat goes from the wave that hits most to the one that hits least") {
  CHECK(wave_heat({{1, 10, 100}, {1, 50, 100}, {1, 90, 100}}) ==
        std::vector<int>{0, 6, palette::kRampSteps - 1});
  CHECK(wave_heat({{1, 10, 100}, {1, 10.3, 100}}) == std::vector<int>{0, 0});
  CHECK(wave_heat({{0, 0, 0}}) == std::vector<int>{0});  // a wave of overhang reads nothing
}

TEST_CASE("bars are waves as long as these fit, then means of as many as needed") {
  for (const size_t count : std::initializer_list<size_t>{1, 2, 40, 300, 1164, 100000}) {
    CAPTURE(count);
    for (const double width : {420.0, 900.0}) {
      const PageBlock block = wave_strip(waves(count), width);
      const std::vector<RectangleItem> bars = rectangles(block.items, "wave-bar");
      CHECK(bars.size() <= count);
      CHECK(bars.size() * 3 <= static_cast<size_t>(width));
      if (count * 3 <= static_cast<size_t>(width)) CHECK(bars.size() == count);
      CHECK(block.width <= width + 1e-6);
      double last = 0;
      for (const RectangleItem& bar : bars) {
        CHECK(bar.at.x >= last - 1e-6);
        last = bar.at.x + bar.width;
      }
      Scene scene{.width = width + 40, .height = block.height + 40};
      for (const SceneItem& item : block.items) scene.items.push_back(moved(item, {20, 20}));
      CHECK(outside_items(scene) == "");
      CHECK(overlapping_labels(scene, {"axis"}) == "");
    }
  }
}

TEST_CASE("the legend names both ends of the scale, or the one value") {
  CHECK(heat_legend({{1, 10, 100}, {1, 90, 100}}).text ==
        "90.0 % down to 10.0 % of a wave's reads hit L2");
  CHECK(heat_legend({{1, 10, 100}}).text == "90.0 % of a wave's reads hit L2");
}
