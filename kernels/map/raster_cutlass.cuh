// The CTA orders of CUTLASS and Triton, as group walks with the width and padding they choose.
//
//   cutlass2        2.x identity threadblock swizzle, launched as a grid of (M * w) x ceil(N / w)
//                   blocks: groups of w columns, walked row by row. w comes from N alone. Blocks
//                   outside the problem leave early. This is CUTLASS's overload that takes log2(w).
//                   Its overload that takes the tiled shape sets w to its template argument where
//                   both extents reach that, else to 1, for the same launch: on grids between the
//                   thresholds it skips tiles, so it is no raster and is not offered here.
//   cutlass2-nopad  the same with w halved until it divides N.
//   cutlass3        3.x C++ schedulers: w from the shorter extent (in CTAs), both extents rounded
//                   up to whole groups, and the padded tiles run. @m is their AlongN, @n their
//                   AlongM.
//   cutlass-dsl     CuTe DSL: w as given, only the grouped extent rounded up. @m is
//                   raster_along_m = false.
#pragma once

#include "map/raster_groups.cuh"

namespace tw {
namespace detail {

// 1, 2, 4 or 8: the widest group up to `most` that the scheduler uses for the extent.
constexpr int cutlass_width(int most, int extent) {
  if (most >= 8 && extent >= 6) return 8;
  if (most >= 4 && extent >= 3) return 4;
  return most >= 2 && extent >= 2 ? 2 : 1;
}

constexpr int cutlass2_nopad_width(int most, int columns) {
  if (most >= 8 && columns % 8 == 0) return 8;
  if (most >= 4 && columns % 4 == 0) return 4;
  return most >= 2 && columns % 2 == 0 ? 2 : 1;
}

// `grid` is in clusters, the thresholds are in CTAs.
constexpr int cutlass3_width(const Raster& r, TileCoord grid) {
  const int cluster_m = r.cluster.m > 0 ? r.cluster.m : 1;
  const int cluster_n = r.cluster.n > 0 ? r.cluster.n : 1;
  const long long m = static_cast<long long>(grid.m) * cluster_m;
  const long long n = static_cast<long long>(grid.n) * cluster_n;
  const long long shorter = m < n ? m : n;
  return cutlass_width(r.factors[0], shorter < 8 ? static_cast<int>(shorter) : 8);
}

constexpr int rounded_up(int extent, int width) {
  const long long whole = (static_cast<long long>(extent) + width - 1) / width * width;
  return whole < 0x7fffffff ? static_cast<int>(whole) : 0x7fffffff;
}

// The group walk that a raster of one factor stands for.
constexpr GroupWalk group_walk_of(const Raster& r, TileCoord grid) {
  const int factor = r.factors[0];
  switch (r.kind) {
    case RasterKind::Cutlass2: return {grid, GroupAxis::N, cutlass_width(factor, grid.n)};
    case RasterKind::Cutlass2NoPad:
      return {grid, GroupAxis::N, cutlass2_nopad_width(factor, grid.n)};
    case RasterKind::Cutlass3: {
      const int width = cutlass3_width(r, grid);
      return {{rounded_up(grid.m, width), rounded_up(grid.n, width)}, r.axis, width};
    }
    case RasterKind::CutlassDsl: return {grid, r.axis, factor};
    default:  // Triton and Snake
      return {grid, r.axis, factor, true, r.kind == RasterKind::Snake};
  }
}

}  // namespace detail
}  // namespace tw
