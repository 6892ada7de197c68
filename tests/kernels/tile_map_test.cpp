// Laws of the raster: map and inverse agree, every tile comes exactly once, in both index types.
#include "map/tile_map.cuh"

#include <doctest/doctest.h>

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "support/raster_laws.hpp"

namespace {

using tilewright::testing::for_grids;
using tilewright::testing::same_order;
using tw::GroupAxis;
using tw::Raster;
using tw::RasterKind;
using tw::TileCoord;

Raster make_raster(RasterKind kind, std::initializer_list<int> factors,
                   GroupAxis axis = GroupAxis::M) {
  Raster raster{.kind = kind, .axis = axis};
  for (const int factor : factors) raster.factors[raster.factor_count++] = factor;
  return raster;
}

// Every factor list of length 1 to `most_length` over 1..5.
std::vector<Raster> factor_lists(RasterKind kind, int most_length) {
  std::vector<Raster> rasters;
  std::vector<std::vector<int>> lists = {{}};
  for (int length = 1; length <= most_length; ++length) {
    std::vector<std::vector<int>> longer;
    for (const std::vector<int>& list : lists) {
      for (int factor = 1; factor <= 5; ++factor) {
        longer.push_back(list);
        longer.back().push_back(factor);
      }
    }
    lists = longer;
    for (const std::vector<int>& list : lists) {
      for (const GroupAxis axis : {GroupAxis::M, GroupAxis::N}) {
        Raster raster{.kind = kind, .axis = axis};
        for (const int factor : list) raster.factors[raster.factor_count++] = factor;
        rasters.push_back(raster);
      }
    }
  }
  return rasters;
}

// How many slots name each tile of the grid, row-major; counts the slots outside in `overhang`.
std::vector<int> visit_counts(const Raster& raster, TileCoord grid, int& overhang) {
  std::vector<int> counts(static_cast<size_t>(grid.m) * static_cast<size_t>(grid.n));
  overhang = 0;
  for (int slot = 0; slot < tw::slot_count<int>(raster, grid); ++slot) {
    const TileCoord tile = tw::tile_at(raster, grid, slot);
    if (tw::is_inside(grid, tile)) {
      ++counts[static_cast<size_t>(tile.m * grid.n + tile.n)];
    } else {
      ++overhang;
    }
  }
  return counts;
}

bool all_once(const std::vector<int>& counts) {
  return std::all_of(counts.begin(), counts.end(), [](int count) { return count == 1; });
}

// Both index types give the same result, and slot_of inverts tile_at inside the grid.
bool inverse_agrees(const Raster& raster, TileCoord grid) {
  const int slots = tw::slot_count<int>(raster, grid);
  if (slots != tw::slot_count<long long>(raster, grid)) return false;
  for (int slot = 0; slot < slots; ++slot) {
    const TileCoord tile = tw::tile_at(raster, grid, slot);
    if (!(tile == tw::tile_at(raster, grid, static_cast<long long>(slot)))) return false;
    if (tile.m < 0 || tile.n < 0) return false;
    if (!tw::is_inside(grid, tile)) continue;
    if (tw::slot_of<int>(raster, grid, tile) != slot) return false;
    if (tw::slot_of<long long>(raster, grid, tile) != slot) return false;
  }
  return true;
}

// The one-factor walks, spelled as loops: groups of `factor` rows, column by column. Rows beyond
// the grid are walked too when `padded`.
std::vector<TileCoord> walk_groups(TileCoord grid, int factor, bool padded) {
  std::vector<TileCoord> order;
  for (int begin = 0; begin < grid.m; begin += factor) {
    const int end = padded ? begin + factor : std::min(begin + factor, grid.m);
    for (int n = 0; n < grid.n; ++n) {
      for (int m = begin; m < end; ++m) order.push_back({m, n});
    }
  }
  return order;
}

// The recursive definition: cut, then walk each group with the axes exchanged.
void walk_list(TileCoord base, TileCoord block, const std::vector<int>& factors, size_t level,
               bool cut_m, std::vector<TileCoord>& order) {
  if (level == factors.size()) {
    const bool m_fastest = !cut_m;
    for (int o = 0; o < (m_fastest ? block.n : block.m); ++o) {
      for (int i = 0; i < (m_fastest ? block.m : block.n); ++i) {
        order.push_back(m_fastest ? TileCoord{base.m + i, base.n + o}
                                  : TileCoord{base.m + o, base.n + i});
      }
    }
    return;
  }
  const int extent = cut_m ? block.m : block.n;
  for (int begin = 0; begin < extent; begin += factors[level]) {
    const int size = std::min(factors[level], extent - begin);
    const TileCoord inner_base =
        cut_m ? TileCoord{base.m + begin, base.n} : TileCoord{base.m, base.n + begin};
    const TileCoord inner = cut_m ? TileCoord{size, block.n} : TileCoord{block.m, size};
    walk_list(inner_base, inner, factors, level + 1, !cut_m, order);
  }
}

// The map can be evaluated at compile time, as kernels, proof and pictures need it.
constexpr Raster kSwizzle4{
    .kind = RasterKind::SwizzleMerge, .axis = GroupAxis::M, .factor_count = 1, .factors = {4}};
static_assert(tw::slot_count<int>(kSwizzle4, {13, 10}) == 130);
static_assert(tw::tile_at(kSwizzle4, {13, 10}, 120) == TileCoord{12, 0});
static_assert(tw::slot_of<int>(kSwizzle4, {13, 10}, {12, 9}) == 129);
static_assert(tw::tile_at(Raster{}, {3, 5}, 7LL) == TileCoord{1, 2});

}  // namespace

TEST_CASE("swizzle-merge with every factor list is a bijection with exactly M*N slots") {
  for (const Raster& raster : factor_lists(RasterKind::SwizzleMerge, 3)) {
    for_grids(9, [&](TileCoord grid) {
      int overhang = 0;
      const bool good = tw::slot_count<int>(raster, grid) == grid.m * grid.n &&
                        all_once(visit_counts(raster, grid, overhang)) && overhang == 0 &&
                        inverse_agrees(raster, grid);
      if (!good) {
        FAIL("factors ", raster.factors[0], ",", raster.factors[1], ",", raster.factors[2], " of ",
             raster.factor_count, " on ", grid.m, "x", grid.n);
      }
    });
  }
}

TEST_CASE("swizzle-merge walks as its recursive definition does") {
  for (const Raster& raster : factor_lists(RasterKind::SwizzleMerge, 3)) {
    const std::vector<int> factors(raster.factors, raster.factors + raster.factor_count);
    for (const TileCoord grid : {TileCoord{7, 9}, {8, 8}, {5, 11}, {1, 6}, {6, 1}}) {
      std::vector<TileCoord> order;
      walk_list({}, grid, factors, 0, raster.axis == GroupAxis::M, order);
      REQUIRE(same_order(raster, grid, order));
    }
  }
}

TEST_CASE("split-merge covers every tile once, in slots rounded up to whole groups") {
  for (const Raster& raster : factor_lists(RasterKind::SplitMerge, 2)) {
    for_grids(9, [&](TileCoord grid) {
      const bool m = raster.axis == GroupAxis::M;
      const int f1 = raster.factors[0];
      const int f2 = raster.factor_count == 2 ? raster.factors[1] : 1;
      const int along = m ? grid.m : grid.n;
      const int across = m ? grid.n : grid.m;
      const int slots = (along + f1 - 1) / f1 * f1 * ((across + f2 - 1) / f2 * f2);
      int overhang = 0;
      CHECK(all_once(visit_counts(raster, grid, overhang)));
      REQUIRE(tw::slot_count<int>(raster, grid) == slots);
      REQUIRE(overhang == slots - grid.m * grid.n);
      REQUIRE(inverse_agrees(raster, grid));
    });
  }
}

TEST_CASE("one factor walks groups of rows, column by column") {
  for (int factor = 1; factor <= 12; ++factor) {
    for_grids(9, [&](TileCoord grid) {
      REQUIRE(same_order(make_raster(RasterKind::SwizzleMerge, {factor}), grid,
                         walk_groups(grid, factor, false)));
      REQUIRE(same_order(make_raster(RasterKind::SplitMerge, {factor}), grid,
                         walk_groups(grid, factor, true)));
    });
  }
}

TEST_CASE("two split-merge factors walk megatiles row by row") {
  const TileCoord grid{5, 7};
  std::vector<TileCoord> order;
  for (int mm = 0; mm < 6; mm += 3) {
    for (int nn = 0; nn < 8; nn += 2) {
      for (int m = mm; m < mm + 3; ++m) {
        for (int n = nn; n < nn + 2; ++n) order.push_back({m, n});
      }
    }
  }
  CHECK(same_order(make_raster(RasterKind::SplitMerge, {3, 2}), grid, order));
}

TEST_CASE("@n is the transpose of @m") {
  for (const RasterKind kind : {RasterKind::SplitMerge, RasterKind::SwizzleMerge}) {
    for (const Raster& along_m : factor_lists(kind, 2)) {
      if (along_m.axis == GroupAxis::N) continue;
      Raster along_n = along_m;
      along_n.axis = GroupAxis::N;
      for_grids(6, [&](TileCoord grid) {
        const int slots = tw::slot_count<int>(along_m, grid);
        REQUIRE(tw::slot_count<int>(along_n, tw::transposed(grid)) == slots);
        for (int slot = 0; slot < slots; ++slot) {
          REQUIRE(tw::tile_at(along_n, tw::transposed(grid), slot) ==
                  tw::transposed(tw::tile_at(along_m, grid, slot)));
        }
      });
    }
  }
}

TEST_CASE("row and col walk the rows and the columns") {
  for_grids(9, [](TileCoord grid) {
    const Raster col{.kind = RasterKind::Col};
    CHECK(inverse_agrees(Raster{}, grid));
    CHECK(inverse_agrees(col, grid));
    REQUIRE(same_order(Raster{}, grid, walk_groups(grid, 1, false)));
    REQUIRE(same_order(col, grid, walk_groups(grid, grid.m, false)));
  });
}

TEST_CASE("golden: 13 rows in groups of 4 on 10 columns") {
  const TileCoord grid{13, 10};
  const Raster split = make_raster(RasterKind::SplitMerge, {4});
  const Raster swizzle = make_raster(RasterKind::SwizzleMerge, {4});
  int overhang = -1;
  visit_counts(split, grid, overhang);
  CHECK(tw::slot_count<int>(split, grid) == 160);
  CHECK(overhang == 30);
  visit_counts(swizzle, grid, overhang);
  CHECK(tw::slot_count<int>(swizzle, grid) == 130);
  CHECK(overhang == 0);
  // The last, ragged megarow is one row high: split-merge still steps over four.
  CHECK(tw::tile_at(split, grid, 121) == TileCoord{13, 0});
  CHECK(tw::tile_at(swizzle, grid, 121) == TileCoord{12, 1});
}

TEST_CASE("64-bit slots are exact beyond 2^32") {
  const TileCoord grid{100'003, 90'001};
  for (const Raster& raster :
       {Raster{}, Raster{.kind = RasterKind::Col}, make_raster(RasterKind::SwizzleMerge, {8, 4}),
        make_raster(RasterKind::SplitMerge, {8, 4}, GroupAxis::N)}) {
    const long long slots = tw::slot_count<long long>(raster, grid);
    REQUIRE(slots >= 100'003LL * 90'001LL);
    for (const TileCoord tile :
         {TileCoord{100'002, 90'000}, {99'999, 1}, {0, 90'000}, {50'001, 7}}) {
      const long long slot = tw::slot_of<long long>(raster, grid, tile);
      REQUIRE(slot < slots);
      CHECK(tw::tile_at(raster, grid, slot) == tile);
    }
  }
}
