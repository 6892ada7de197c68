// The CTA raster: which output tile does slot b of the launch compute, and back.
//
// One constexpr function for everybody: the kernels, the proof, the cost model and the diagrams
// call the code below, compiled by g++, clang and NVRTC. It includes nothing.
//
//   slot --tile_at--> (m, n) --slot_of--> slot
//
// Coordinates are in tiles; a slot whose tile lies outside the grid is overhang, computing nothing.
//
// Index is the integer type of slots: long long on the host, int in the kernels (the legality rules
// keep slot_count below 2^31 there, and factors within the grid).
#pragma once

namespace tw {

/// Coordinates or extents, in tiles.
struct TileCoord {
  int m = 0;
  int n = 0;
  bool operator==(const TileCoord&) const = default;
};

enum class RasterKind : int {
  Row,           // n fastest
  Col,           // m fastest
  SplitMerge,    // split by factors, merge; nondivisible splits add slots (nvFuser)
  SwizzleMerge,  // the same walk with ragged last groups: exactly M * N slots
};

enum class GroupAxis : int { M, N };  // the axis that the first factor cuts

inline constexpr int kMaxRasterFactors = 4;

struct Raster {
  RasterKind kind = RasterKind::Row;
  GroupAxis axis = GroupAxis::M;
  int factor_count = 0;  // SplitMerge: 1 or 2; SwizzleMerge: 1 to kMaxRasterFactors
  int factors[kMaxRasterFactors] = {};
  bool operator==(const Raster&) const = default;
};

constexpr TileCoord transposed(TileCoord t) {
  return {t.n, t.m};
}

constexpr bool is_inside(TileCoord grid, TileCoord tile) {
  return tile.m < grid.m && tile.n < grid.n;
}

namespace detail {

template <class Index>
constexpr Index groups_of(int extent, int factor) {
  return (static_cast<Index>(extent) + factor - 1) / factor;
}

constexpr int smaller(int a, int b) {
  return a < b ? a : b;
}

// One factor: megarows of f rows, walked m fastest. Two: f1 x f2 megatiles, row-major, n fastest
// inside.
template <class Index>
constexpr TileCoord split_merge_at(const Raster& r, TileCoord grid, Index slot) {
  const int f1 = r.factors[0];
  if (r.factor_count == 1) {
    const Index band = static_cast<Index>(grid.n) * f1;
    const Index position = slot % band;
    return {static_cast<int>(slot / band * f1 + position % f1), static_cast<int>(position / f1)};
  }
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

template <class Index>
constexpr TileCoord grouped_at(const Raster& r, TileCoord grid, Index slot) {
  return r.kind == RasterKind::SplitMerge ? split_merge_at(r, grid, slot)
                                          : swizzle_merge_at(r, grid, slot);
}

template <class Index>
constexpr Index grouped_slot(const Raster& r, TileCoord grid, TileCoord tile) {
  return r.kind == RasterKind::SplitMerge ? split_merge_slot<Index>(r, grid, tile)
                                          : swizzle_merge_slot<Index>(r, grid, tile);
}

}  // namespace detail

/// Slots that a launch walks: M * N, plus the overhang of nondivisible splits. `grid` is at least
/// 1x1.
template <class Index>
constexpr Index slot_count(const Raster& r, TileCoord grid) {
  if (r.kind != RasterKind::SplitMerge) return static_cast<Index>(grid.m) * grid.n;
  const TileCoord g = r.axis == GroupAxis::M ? grid : transposed(grid);
  const int f2 = r.factor_count == 2 ? r.factors[1] : 1;
  return detail::groups_of<Index>(g.m, r.factors[0]) * r.factors[0] *
         (detail::groups_of<Index>(g.n, f2) * f2);
}

/// The tile of a slot in [0, slot_count); it may lie outside the grid (is_inside says).
template <class Index>
constexpr TileCoord tile_at(const Raster& r, TileCoord grid, Index slot) {
  switch (r.kind) {
    case RasterKind::Row: return {static_cast<int>(slot / grid.n), static_cast<int>(slot % grid.n)};
    case RasterKind::Col: return {static_cast<int>(slot % grid.m), static_cast<int>(slot / grid.m)};
    default:
      return r.axis == GroupAxis::M ? detail::grouped_at(r, grid, slot)
                                    : transposed(detail::grouped_at(r, transposed(grid), slot));
  }
}

/// The slot that computes a tile of the grid: the inverse of tile_at.
template <class Index>
constexpr Index slot_of(const Raster& r, TileCoord grid, TileCoord tile) {
  switch (r.kind) {
    case RasterKind::Row: return static_cast<Index>(tile.m) * grid.n + tile.n;
    case RasterKind::Col: return static_cast<Index>(tile.n) * grid.m + tile.m;
    default:
      return r.axis == GroupAxis::M
                 ? detail::grouped_slot<Index>(r, grid, tile)
                 : detail::grouped_slot<Index>(r, transposed(grid), transposed(tile));
  }
}

}  // namespace tw
