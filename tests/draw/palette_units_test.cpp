#include <doctest/doctest.h>

#include <string>

#include "draw/palette.hpp"
#include "support/grid_reports.hpp"
#include "tile/plan/grid_proof.hpp"

using namespace tilewright;
using namespace tilewright::testing;

namespace {

std::vector<int64_t> waves_by_tile(const char* raster, TileCoord grid, int64_t ctas) {
  std::vector<int64_t> waves(static_cast<size_t>(grid.m) * static_cast<size_t>(grid.n), -1);
  int64_t slot = 0;
  for (const TileCoord tile : raster_order(parse_raster(raster), grid, {})) {
    const int64_t wave = slot++ / ctas;
    if (!tw::is_inside(grid, tile)) continue;
    waves[static_cast<size_t>(tile.m) * static_cast<size_t>(grid.n) + static_cast<size_t>(tile.n)] =
        wave;
  }
  return waves;
}

// The number of adjacent tiles of different waves with the same colour, by brute force.
int equal_neighbours(const std::vector<int64_t>& waves, int columns,
                     const std::vector<int>& colors) {
  int count = 0;
  const auto color = [&](size_t i) { return colors[static_cast<size_t>(waves[i])]; };
  for (size_t i = 0; i < waves.size(); ++i) {
    for (const size_t step : {size_t{1}, static_cast<size_t>(columns)}) {
      const bool last = step == 1 && (i + 1) % static_cast<size_t>(columns) == 0;
      if (last || i + step >= waves.size()) continue;
      if (waves[i] != waves[i + step] && color(i) == color(i + step)) ++count;
    }
  }
  return count;
}

}  // namespace

TEST_CASE("waves that touch differ in colour, and so do consecutive waves") {
  for (const char* raster : {"row", "col", "hilbert", "morton", "split-merge:4", "snake:3",
                             "swizzle-merge:8", "triton:5", "cutlass2:4"}) {
    for (const TileCoord grid : {TileCoord{20, 20}, {13, 10}, {64, 64}, {40, 7}, {128, 96}}) {
      for (const int64_t ctas : {1, 7, 20, 32, 108, 132}) {
        CAPTURE(raster);
        CAPTURE(grid.m);
        CAPTURE(ctas);
        const std::vector<int64_t> waves = waves_by_tile(raster, grid, ctas);
        int64_t count = 0;
        for (const int64_t wave : waves) count = std::max(count, wave + 1);
        WavePairs touching;
        add_touching_waves(waves, grid.n, touching);
        const std::vector<int> colors = wave_colors(count, touching);
        CHECK(equal_neighbours(waves, grid.n, colors) == 0);
        for (size_t i = 1; i < colors.size(); ++i) CHECK(colors[i] != colors[i - 1]);
      }
    }
  }
}

TEST_CASE("colours repeat in order unless waves of the same colour would touch") {
  CHECK(wave_colors(10, {}) == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 0, 1});
  CHECK(wave_colors(10, {{8, 0}}) == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 1, 2});
  CHECK(wave_colors(0, {}).empty());
}

TEST_CASE("the legend names the waves of each colour in the picture") {
  CHECK(wave_legend(3).size() == 3);
  CHECK(wave_legend(9)[0].text == "waves 0, 8");
  CHECK(wave_legend(100)[3].text == "waves 3, 11, 19, ...");
  const std::vector<int> part = {-1, -1, 4, -1, 0};
  const std::vector<LegendEntry> entries = wave_legend(part);
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].text == "wave 4");
  CHECK(entries[1].text == "wave 2");
}
