#include "page/heat_map.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/scenes.hpp"

using namespace tilewright;

namespace {

HeatMap map_of(int rows, int columns) {
  HeatMap map{.title = "times", .row_name = "tile", .column_name = "raster"};
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      if (row > 0 && column > 0 && (row + column) % 7 == 6) continue;
      map.add(format("r{}", row), format("c{}", column), 100 + 10 * row + column);
    }
  }
  return map;
}

}  // namespace

TEST_CASE("a heat map has a tooltip for each time, the shortest times first") {
  for (const auto& size : {std::pair{1, 1}, {3, 2}, {12, 10}, {20, 30}}) {
    const int rows = size.first;
    const int columns = size.second;
    CAPTURE(rows);
    const HeatMap map = map_of(rows, columns);
    const Scene scene = draw_heat_map(map);
    const size_t shown_rows = std::min<size_t>(static_cast<size_t>(rows), kMaxHeatRows);
    const size_t shown_columns = std::min<size_t>(static_cast<size_t>(columns), kMaxHeatColumns);
    CHECK(testing::rectangles(scene.items, "cell").size() == shown_rows * shown_columns);
    const std::vector<std::string> tooltips = testing::tooltip_texts(scene.items);
    size_t known = 0;
    // Row 0 and column 0 have the shortest times, so the first rows and columns stay.
    for (const auto& [place, us] : map.us) {
      const bool is_shown = std::stoul(place.first.substr(1)) < shown_rows &&
                            std::stoul(place.second.substr(1)) < shown_columns;
      const std::string text = format("tile {}, raster {}: {:.4g} us, {:.3f} times the shortest",
                                      place.first, place.second, us, us / 100);
      CHECK(std::count(tooltips.begin(), tooltips.end(), text) == (is_shown ? 1 : 0));
      known += is_shown ? 1 : 0;
    }
    CHECK(tooltips.size() == known);
    CHECK(testing::overlapping_labels(scene, {"text"}) == "");
  }
}

TEST_CASE("the shorter of several times of a pair stays") {
  HeatMap map;
  map.add("a", "b", 3);
  map.add("a", "b", 2);
  map.add("a", "b", 4);
  CHECK(map.us.at({"a", "b"}) == 2);
}
