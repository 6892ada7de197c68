#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>

#include "draw/grid_path.hpp"
#include "tile/plan/grid_proof.hpp"

using namespace tilewright;

namespace {

int sign(int value) {
  return (value > 0) - (value < 0);
}

// The tiles on the runs, in order.
std::vector<TileCoord> passed_tiles(const std::vector<PathRun>& runs) {
  std::vector<TileCoord> tiles = {runs.front().corners.front()};
  for (const PathRun& run : runs) {
    REQUIRE(run.corners.front() == tiles.back());
    for (size_t i = 1; i < run.corners.size(); ++i) {
      if (run.jump) {
        tiles.push_back(run.corners[i]);
        continue;
      }
      while (!(tiles.back() == run.corners[i])) {
        const TileCoord at = tiles.back();
        const TileCoord next = {at.m + sign(run.corners[i].m - at.m),
                                at.n + sign(run.corners[i].n - at.n)};
        REQUIRE((next.m == at.m || next.n == at.n));
        tiles.push_back(next);
      }
    }
  }
  return tiles;
}

}  // namespace

TEST_CASE("the runs visit the tiles in order, and jump only between tiles that do not touch") {
  for (const char* raster : {"row", "col", "split-merge:3", "swizzle-merge:2,3",
                             "swizzle-merge:1,1,1", "split-merge:2x2@n", "swizzle-merge:4@n"}) {
    for (int m = 1; m <= 7; ++m) {
      for (int n = 1; n <= 7; ++n) {
        if (m * n == 1) continue;
        const std::vector<TileCoord> order = raster_order(parse_raster(raster), {m, n});
        const std::vector<PathRun> runs = path_runs(order);
        REQUIRE(passed_tiles(runs) == order);
        for (const PathRun& run : runs) {
          const TileCoord a = run.corners.front();
          const TileCoord b = run.corners[1];
          if (run.jump) REQUIRE(std::abs(a.m - b.m) + std::abs(a.n - b.n) > 1);
          if (run.jump) REQUIRE(run.corners.size() == 2);
        }
      }
    }
  }
}

TEST_CASE("straight steps are one line, changes of direction are corners") {
  const std::vector<TileCoord> order = {{0, 0}, {1, 0}, {2, 0}, {2, 1}, {0, 1}, {0, 2}};
  CHECK(path_runs(order) == std::vector<PathRun>{{false, {{0, 0}, {2, 0}, {2, 1}}},
                                                 {true, {{2, 1}, {0, 1}}},
                                                 {false, {{0, 1}, {0, 2}}}});
  CHECK(path_runs(std::vector<TileCoord>{{3, 3}}).empty());
  CHECK(path_runs({}).empty());
}
