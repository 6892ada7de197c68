#include "draw/grid_frame.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace tilewright;

TEST_CASE("areas cover every tile once, with its value") {
  std::mt19937 random(7);
  for (int trial = 0; trial < 500; ++trial) {
    const int rows = 1 + static_cast<int>(random() % 9);
    const int columns = 1 + static_cast<int>(random() % 9);
    const unsigned kinds = 1 + random() % 4;
    std::vector<int> values(static_cast<size_t>(rows * columns));
    for (int& value : values) value = static_cast<int>(random() % kinds);
    std::vector<int> covered(values.size());
    const std::vector<TileArea> areas = merge_areas(values, columns);
    for (const TileArea& area : areas) {
      for (int m = area.m; m < area.m + area.rows; ++m) {
        for (int n = area.n; n < area.n + area.columns; ++n) {
          const auto at = static_cast<size_t>(m * columns + n);
          REQUIRE(at < values.size());
          REQUIRE(values[at] == area.value);
          ++covered[at];
        }
      }
    }
    for (const int count : covered) REQUIRE(count == 1);
    if (kinds == 1) REQUIRE(areas.size() == 1);
  }
}

TEST_CASE("a staircase becomes its longest runs") {
  const std::vector<int> values = {1, 1, 2,  //
                                   1, 1, 2,  //
                                   1, 2, 2};
  CHECK(merge_areas(values, 3) ==
        std::vector<TileArea>{{1, 0, 0, 2, 2}, {1, 2, 0, 1, 1}, {2, 0, 2, 2, 1}, {2, 2, 1, 1, 2}});
}
