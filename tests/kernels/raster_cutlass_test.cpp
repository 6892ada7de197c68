// The orders of CUTLASS and Triton against loops written from the description of their sources.
#include "map/raster_cutlass.cuh"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "map/tile_map.cuh"
#include "support/raster_laws.hpp"

namespace {

using tilewright::testing::broken_law;
using tilewright::testing::for_grids;
using tilewright::testing::same_order;
using tw::GroupAxis;
using tw::Raster;
using tw::RasterKind;
using tw::TileCoord;

Raster raster_of(RasterKind kind, int factor, GroupAxis axis = GroupAxis::M) {
  return {.kind = kind, .axis = axis, .factor_count = 1, .factors = {factor}};
}

int log2_width(int most, int extent) {
  if (most >= 8 && extent >= 6) return 3;
  if (most >= 4 && extent >= 3) return 2;
  return most >= 2 && extent >= 2 ? 1 : 0;
}

// A launch of grid (x, y): blockIdx.x runs fastest.
std::vector<TileCoord> walk_cutlass2(TileCoord grid, int log) {
  std::vector<TileCoord> order;
  const int width = 1 << log;
  for (int y = 0; y < (grid.n + width - 1) / width; ++y) {
    for (int x = 0; x < grid.m * width; ++x) {
      order.push_back({x >> log, (y << log) + (x & (width - 1))});
    }
  }
  return order;
}

// The persistent scheduler's divisions for clusters of one CTA; rows are the minor axis.
std::vector<TileCoord> walk_cutlass3(TileCoord grid, int log) {
  const int width = 1 << log;
  const int rows = (grid.m + width - 1) / width * width;
  const int columns = (grid.n + width - 1) / width * width;
  std::vector<TileCoord> order;
  for (int id = 0; id < rows * columns; ++id) {
    const int offset = id & (width - 1);
    const int rest = id >> log;
    order.push_back({rest / columns * width + offset, rest % columns});
  }
  return order;
}

}  // namespace

TEST_CASE("every CUTLASS and Triton order covers every tile once, and inverts") {
  for (const RasterKind kind : {RasterKind::Triton, RasterKind::Cutlass2, RasterKind::Cutlass2NoPad,
                                RasterKind::Cutlass3, RasterKind::CutlassDsl, RasterKind::Snake}) {
    for (int factor = 1; factor <= 9; ++factor) {
      for (const GroupAxis axis : {GroupAxis::M, GroupAxis::N}) {
        for_grids(12, [&](TileCoord grid) {
          const std::string broken = broken_law(raster_of(kind, factor, axis), grid);
          if (!broken.empty()) {
            FAIL(broken, ": kind ", static_cast<int>(kind), " factor ", factor, " on ", grid.m, "x",
                 grid.n);
          }
        });
      }
    }
  }
}

TEST_CASE("cutlass2 is CUTLASS 2.x's launch: groups of columns, as wide as their count allows") {
  for (const int most : {1, 2, 3, 4, 7, 8, 16}) {
    for_grids(14, [&](TileCoord grid) {
      const int log = log2_width(most, grid.n);
      REQUIRE(same_order(raster_of(RasterKind::Cutlass2, most), grid, walk_cutlass2(grid, log)));
      int exact = most >= 8 ? 3 : most >= 4 ? 2 : most >= 2 ? 1 : 0;
      while (grid.n % (1 << exact) != 0) --exact;
      REQUIRE(
          same_order(raster_of(RasterKind::Cutlass2NoPad, most), grid, walk_cutlass2(grid, exact)));
      REQUIRE(tw::slot_count<int>(raster_of(RasterKind::Cutlass2NoPad, most), grid) ==
              grid.m * grid.n);
    });
  }
}

TEST_CASE("cutlass3 is the persistent scheduler's division chain; @n is its transpose") {
  for (const int most : {1, 2, 4, 8, 16}) {
    for_grids(14, [&](TileCoord grid) {
      const int log = log2_width(most, std::min(grid.m, grid.n));
      std::vector<TileCoord> order = walk_cutlass3(grid, log);
      REQUIRE(same_order(raster_of(RasterKind::Cutlass3, most), grid, order));
      for (TileCoord& tile : order) tile = tw::transposed(tile);
      REQUIRE(same_order(raster_of(RasterKind::Cutlass3, most, GroupAxis::N), tw::transposed(grid),
                         order));
    });
  }
}

TEST_CASE("cutlass-dsl pads the grouped axis alone, to any width") {
  for (int width = 1; width <= 9; ++width) {
    for_grids(12, [&](TileCoord grid) {
      std::vector<TileCoord> order;
      for (int begin = 0; begin < grid.m; begin += width) {
        for (int n = 0; n < grid.n; ++n) {
          for (int m = begin; m < begin + width; ++m) order.push_back({m, n});
        }
      }
      REQUIRE(same_order(raster_of(RasterKind::CutlassDsl, width), grid, order));
    });
  }
}

TEST_CASE("triton's GROUP_SIZE_M is swizzle-merge of one factor") {
  for (int group = 1; group <= 9; ++group) {
    for_grids(12, [&](TileCoord grid) {
      for (int pid = 0; pid < grid.m * grid.n; ++pid) {
        const int in_group = group * grid.n;
        const int first = pid / in_group * group;
        const int height = std::min(grid.m - first, group);
        const TileCoord tile{first + pid % in_group % height, pid % in_group / height};
        REQUIRE(tw::tile_at(raster_of(RasterKind::Triton, group), grid, pid) == tile);
        REQUIRE(tw::tile_at(raster_of(RasterKind::SwizzleMerge, group), grid, pid) == tile);
      }
    });
  }
}

TEST_CASE("snake reverses its direction after every group") {
  for (int factor = 1; factor <= 6; ++factor) {
    for_grids(10, [&](TileCoord grid) {
      std::vector<TileCoord> order;
      for (int begin = 0; begin < grid.m; begin += factor) {
        for (int step = 0; step < grid.n; ++step) {
          const int n = begin / factor % 2 == 0 ? step : grid.n - 1 - step;
          for (int m = begin; m < std::min(begin + factor, grid.m); ++m) order.push_back({m, n});
        }
      }
      REQUIRE(same_order(raster_of(RasterKind::Snake, factor), grid, order));
    });
  }
}

TEST_CASE("goldens: what the schedulers launch on small grids") {
  struct Row {
    TileCoord grid;
    int most;
    int slots;
  };
  for (const Row& row : {Row{{6, 6}, 4, 64},
                         {{6, 6}, 8, 64},
                         {{7, 7}, 8, 64},
                         {{9, 9}, 8, 256},
                         {{9, 9}, 4, 144},
                         {{13, 10}, 8, 256},
                         {{13, 10}, 4, 192},
                         {{17, 33}, 8, 960},
                         {{50, 50}, 8, 3136}}) {
    CAPTURE(row.grid.m);
    CHECK(tw::slot_count<int>(raster_of(RasterKind::Cutlass3, row.most), row.grid) == row.slots);
  }
  // Only the grouped axis: 16 x 10 and 13 x 16.
  CHECK(tw::slot_count<int>(raster_of(RasterKind::CutlassDsl, 8), {13, 10}) == 160);
  CHECK(tw::slot_count<int>(raster_of(RasterKind::CutlassDsl, 8, GroupAxis::N), {13, 10}) == 208);
  CHECK(tw::slot_count<int>(raster_of(RasterKind::Cutlass2, 8), {13, 10}) == 208);
  CHECK(tw::slot_count<int>(raster_of(RasterKind::Cutlass2NoPad, 8), {13, 10}) == 130);
}

TEST_CASE("cutlass3 counts CTAs, not clusters, for its width") {
  const Raster raster = raster_of(RasterKind::Cutlass3, 8);
  const TileCoord clusters{4, 4};
  CHECK(tw::slot_count<int>(raster, clusters) == 16);                         // 4x4 CTAs: 4 wide
  CHECK(tw::slot_count<int>(tw::in_clusters(raster, 2, 2), clusters) == 64);  // 8x8 CTAs: 8 wide
  CHECK(tw::slot_count<int>(tw::in_clusters(raster, 1, 4), {4, 2}) == 16);    // 4x8 CTAs: 4 wide
  CHECK(tw::slot_count<int>(tw::in_clusters(raster, 4, 1), {2, 4}) == 16);
  CHECK(broken_law(tw::in_clusters(raster, 2, 1), {5, 9}) == std::string());
  CHECK(tw::in_clusters(Raster{}, 2, 2) == Raster{});
}
