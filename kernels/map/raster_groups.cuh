// Rasters that cut the grid into groups of rows: split-merge, swizzle-merge and snake.
#pragma once

#include "map/raster.cuh"

namespace tw {
namespace detail {

template <class Index>
constexpr Index groups_of(int extent, int factor) {
  return (static_cast<Index>(extent) + factor - 1) / factor;
}

constexpr int smaller(int a, int b) {
  return a < b ? a : b;
}

// Two factors: f1 x f2 megatiles, row-major, n fastest inside. (One factor is a group walk.)
template <class Index>
constexpr TileCoord split_merge_at(const Raster& r, TileCoord grid, Index slot) {
  const int f1 = r.factors[0];
  const int f2 = r.factors[1];
  const Index inner = static_cast<Index>(f1) * f2;
  const Index megacolumns = groups_of<Index>(grid.n, f2);
  const Index mega = slot / inner;
  const Index position = slot % inner;
  return {static_cast<int>(mega / megacolumns * f1 + position / f2),
          static_cast<int>(mega % megacolumns * f2 + position % f2)};
}

template <class Index>
constexpr Index split_merge_slot(const Raster& r, TileCoord grid, TileCoord tile) {
  const int f1 = r.factors[0];
  if (r.factor_count == 1) {
    const Index band = static_cast<Index>(grid.n) * f1;
    return tile.m / f1 * band + static_cast<Index>(tile.n) * f1 + tile.m % f1;
  }
  const int f2 = r.factors[1];
  const Index megacolumns = groups_of<Index>(grid.n, f2);
  const Index mega = tile.m / f1 * megacolumns + tile.n / f2;
  return mega * f1 * f2 + static_cast<Index>(tile.m % f1) * f2 + tile.n % f2;
}

// Each factor cuts the block that is left, alternately along m and n; the last group of a cut is as
// thin as what remains. The innermost block is walked along the axis of the last cut.
//
//      factors 4,2 on 6 x 5 tiles:   +--+--+-+
//                                    |  |  | |  4 rows: columns in groups of 2, 2, 1
//                                    +--+--+-+
//                                    |  |  | |  2 rows left
//                                    +--+--+-+
template <class Index>
constexpr TileCoord swizzle_merge_at(const Raster& r, TileCoord grid, Index slot) {
  TileCoord base;
  TileCoord block = grid;
  for (int i = 0; i < r.factor_count; ++i) {
    const int f = r.factors[i];
    const bool cut_m = i % 2 == 0;
    const Index group_size = static_cast<Index>(cut_m ? block.n : block.m) * f;
    const int begin = static_cast<int>(slot / group_size) * f;
    slot %= group_size;
    if (cut_m) {
      base.m += begin;
      block.m = smaller(f, block.m - begin);
    } else {
      base.n += begin;
      block.n = smaller(f, block.n - begin);
    }
  }
  const bool m_fastest = r.factor_count % 2 == 1;
  const int fast = m_fastest ? block.m : block.n;
  const int inner = static_cast<int>(slot % fast);
  const int outer = static_cast<int>(slot / fast);
  return m_fastest ? TileCoord{base.m + inner, base.n + outer}
                   : TileCoord{base.m + outer, base.n + inner};
}

template <class Index>
constexpr Index swizzle_merge_slot(const Raster& r, TileCoord grid, TileCoord tile) {
  Index slot = 0;
  TileCoord block = grid;
  for (int i = 0; i < r.factor_count; ++i) {
    const int f = r.factors[i];
    if (i % 2 == 0) {
      const int begin = tile.m / f * f;
      slot += static_cast<Index>(begin) * block.n;
      tile.m -= begin;
      block.m = smaller(f, block.m - begin);
    } else {
      const int begin = tile.n / f * f;
      slot += static_cast<Index>(begin) * block.m;
      tile.n -= begin;
      block.n = smaller(f, block.n - begin);
    }
  }
  return r.factor_count % 2 == 1 ? slot + static_cast<Index>(tile.n) * block.m + tile.m
                                 : slot + static_cast<Index>(tile.m) * block.n + tile.n;
}

// Groups of `factor` rows, walked m fastest: the general form of every raster of one factor. It has
// no array, so kernels keep it in registers.
struct GroupWalk {
  TileCoord grid;
  GroupAxis axis = GroupAxis::M;
  int factor = 1;
  bool ragged = false;  // the last group has the remaining rows only; else it is padded
  bool snake = false;   // odd groups run through the columns backwards

  constexpr TileCoord oriented() const { return axis == GroupAxis::M ? grid : transposed(grid); }
};

// Row and Col are groups of one.
constexpr GroupWalk plain_walk_of(const Raster& r, TileCoord grid) {
  const GroupAxis axis = r.kind == RasterKind::Row   ? GroupAxis::M
                         : r.kind == RasterKind::Col ? GroupAxis::N
                                                     : r.axis;
  return {grid, axis, r.factor_count == 0 ? 1 : r.factors[0], r.kind != RasterKind::SplitMerge};
}

template <class Index>
constexpr Index group_walk_slots(const GroupWalk& walk) {
  const TileCoord g = walk.oriented();
  const Index rows = walk.ragged ? g.m : groups_of<Index>(g.m, walk.factor) * walk.factor;
  return rows * g.n;
}

constexpr int group_height(const GroupWalk& walk, int rows_left) {
  return walk.ragged ? smaller(walk.factor, rows_left) : walk.factor;
}

constexpr int snake_column(const GroupWalk& walk, int group, int columns, int n) {
  return walk.snake && group % 2 == 1 ? columns - 1 - n : n;
}

template <class Index>
constexpr TileCoord group_walk_at(const GroupWalk& walk, Index slot) {
  const TileCoord g = walk.oriented();
  const Index band = static_cast<Index>(g.n) * walk.factor;
  const int group = static_cast<int>(slot / band);
  const Index position = slot % band;
  const int begin = group * walk.factor;
  const int height = group_height(walk, g.m - begin);
  const TileCoord tile{begin + static_cast<int>(position % height),
                       snake_column(walk, group, g.n, static_cast<int>(position / height))};
  return walk.axis == GroupAxis::M ? tile : transposed(tile);
}

template <class Index>
constexpr Index group_walk_slot(const GroupWalk& walk, TileCoord tile) {
  const TileCoord g = walk.oriented();
  if (walk.axis == GroupAxis::N) tile = transposed(tile);
  const int group = tile.m / walk.factor;
  const int begin = group * walk.factor;
  const int height = group_height(walk, g.m - begin);
  return static_cast<Index>(begin) * g.n +
         static_cast<Index>(snake_column(walk, group, g.n, tile.n)) * height + tile.m - begin;
}

}  // namespace detail
}  // namespace tw
