#include "draw/wave_strip.hpp"

#include <doctest/doctest.h>

#include "draw/palette.hpp"
#include "support/colour_vision.hpp"
#include "support/scenes.hpp"

using namespace tilewright;
using namespace tilewright::testing;

namespace {

GridTraffic traffic(size_t count) {
  GridTraffic all{.compulsory_bytes = 1e6 * static_cast<double>(count)};
  for (size_t i = 0; i < count; ++i) {
    all.waves.push_back({132, 1e6 * static_cast<double>(1 + i % 7)});
  }
  return all;
}

// A grid of 100 tiles, a tenth of them in each wave, with A and B of 1000 bytes.
GridTraffic tenths(const std::vector<double>& times) {
  GridTraffic all{.compulsory_bytes = 1000};
  for (const double t : times) all.waves.push_back({10, 100 * t});
  all.waves.push_back({100 - 10 * static_cast<int64_t>(times.size()), 0});
  return all;
}

std::vector<int> heat_of(const GridTraffic& traffic) {
  std::vector<int> steps;
  for (const double rereads_operands : wave_rereads(traffic))
    steps.push_back(heat_step(rereads_operands));
  return steps;
}

}  // namespace

TEST_CASE("heat is how many times a wave reads its share of A and B, in steps of sqrt(2)") {
  CHECK(heat_of(tenths({0, 0.5, 1, 1.1, 1.5, 4, 4.1, 32, 33})) ==
        std::vector<int>{0, 0, 0, 1, 2, 4, 5, 10, 11, 0});
  CHECK(heat_of({.waves = {{0, 0}}}) == std::vector<int>{0});  // overhang reads nothing
  CHECK(wave_rereads(tenths({0.5, 3.7})) == std::vector<double>{0.5, 3.7, 0});
  CHECK(rereads_text(3.71) == "DRAM re-reads 3.7x");
}

TEST_CASE("a wave's colour does not depend on the other waves of its picture") {
  for (const double times : {0.7, 3.0, 5.0, 8.6, 20.0}) {
    CHECK(heat_of(tenths({times, 0.1})).front() == heat_of(tenths({times, 40})).front());
    CHECK(heat_of(tenths({times, times})).front() == heat_of(tenths({times})).front());
  }
}

TEST_CASE("the colours of 3.7 and 5.7 times A and B differ for every colour vision") {
  const Color little = palette::heat_color(heat_step(3.7));
  const Color much = palette::heat_color(heat_step(5.7));
  CHECK(difference(little, much, kNormal) >= 30);
  for (const Matrix& eye : {kProtanopia, kDeuteranopia, kTritanopia}) {
    CHECK(difference(little, much, eye) >= 12);
  }
}

TEST_CASE("a bar's tooltip has the bytes that its wave reads and the multiple of its share") {
  CHECK(tooltip_texts(wave_strip(tenths({4, 0.5}), 420).items).at(0) ==
        "wave 0: 400 B, DRAM re-reads 4.0x");
}

TEST_CASE("half a wave that reads as much as a whole one has a stronger colour") {
  const std::vector<int> heat = heat_of({.compulsory_bytes = 150, .waves = {{10, 300}, {5, 300}}});
  CHECK(heat[0] == 4);  // 3 times its share
  CHECK(heat[1] == 6);  // 6 times
}

TEST_CASE("a bar is one wave where all fit, else the mean of several") {
  for (const size_t count : std::initializer_list<size_t>{1, 2, 40, 300, 1164, 100000}) {
    CAPTURE(count);
    for (const double width : {420.0, 900.0}) {
      const PageBlock block = wave_strip(traffic(count), width);
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

TEST_CASE("bars of pictures with similar traffic have the same axis") {
  const auto heights = [](double least, double most) {
    std::vector<double> all;
    const GridTraffic t{.compulsory_bytes = 1e6, .waves = {{1, least}, {1, most}}};
    for (const RectangleItem& bar : rectangles(wave_strip(t, 420).items, "wave-bar")) {
      all.push_back(bar.height);
    }
    return all;
  };
  CHECK(heights(145e6, 145e6)[0] == heights(145e6, 105e6)[0]);
  CHECK(heights(145e6, 105e6)[0] > heights(105e6, 105e6)[0]);
  CHECK(heights(100e6, 200e6)[1] == doctest::Approx(2 * heights(100e6, 200e6)[0]));
}

TEST_CASE("the legend shows the bound of every step") {
  std::vector<std::string> bounds;
  for (const SceneItem& item : heat_legend().symbol) {
    if (const auto* const label = std::get_if<LabelItem>(&item)) bounds.push_back(label->text);
  }
  CHECK(bounds == std::vector<std::string>{"1", "1.4", "2", "2.8", "4", "5.7", "8", "11", "16",
                                           "23", "32", ">32"});
}
