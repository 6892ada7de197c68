// The CTA raster: maps slot b of a launch to its output tile, and back.
//
// The kernels, the proof, the cost model and the diagrams all call the constexpr functions below,
// compiled by g++, clang and NVRTC. This header includes only its parts.
//
//   slot --tile_at--> (m, n) --slot_of--> slot
//
// Coordinates are in tiles; a slot with its tile outside the grid is overhang and computes nothing.
//
// Index is the integer type of slots: long long on the host, int in the kernels (for them the
// legality rules keep slot_count below 2^31, and factors within the grid).
#pragma once

#include "map/raster.cuh"
#include "map/raster_curves.cuh"
#include "map/raster_cutlass.cuh"
#include "map/raster_groups.cuh"

namespace tw {
namespace detail {

template <class Index>
constexpr TileCoord factors_at(const Raster& r, TileCoord grid, Index slot) {
  return r.kind == RasterKind::SplitMerge ? split_merge_at(r, grid, slot)
                                          : swizzle_merge_at(r, grid, slot);
}

template <class Index>
constexpr Index factors_slot(const Raster& r, TileCoord grid, TileCoord tile) {
  return r.kind == RasterKind::SplitMerge ? split_merge_slot<Index>(r, grid, tile)
                                          : swizzle_merge_slot<Index>(r, grid, tile);
}

template <class Index>
constexpr Index split_merge_slots(const Raster& r, TileCoord grid) {
  const TileCoord g = r.axis == GroupAxis::M ? grid : transposed(grid);
  const int f2 = r.factor_count == 2 ? r.factors[1] : 1;
  return groups_of<Index>(g.m, r.factors[0]) * r.factors[0] * (groups_of<Index>(g.n, f2) * f2);
}

}  // namespace detail

/// slot_count of a raster of one family.
template <RasterFamily F, class Index>
constexpr Index family_slot_count(const Raster& r, TileCoord grid) {
  if constexpr (F == RasterFamily::Curves) {
    return r.kind == RasterKind::Hilbert ? static_cast<Index>(grid.m) * grid.n
                                         : detail::morton_slots<Index>(grid);
  } else if constexpr (F == RasterFamily::Groups) {
    return detail::group_walk_slots<Index>(detail::group_walk_of(r, grid));
  } else if constexpr (F == RasterFamily::Plain) {
    return detail::group_walk_slots<Index>(detail::plain_walk_of(r, grid));
  } else {
    return r.kind == RasterKind::SplitMerge ? detail::split_merge_slots<Index>(r, grid)
                                            : static_cast<Index>(grid.m) * grid.n;
  }
}

/// Slots that a launch walks: M * N, plus the overhang of rasters that pad. `grid` is at least 1x1.
template <class Index>
constexpr Index slot_count(const Raster& r, TileCoord grid) {
  switch (family_of(r)) {
    case RasterFamily::Plain: return family_slot_count<RasterFamily::Plain, Index>(r, grid);
    case RasterFamily::Curves: return family_slot_count<RasterFamily::Curves, Index>(r, grid);
    case RasterFamily::Groups: return family_slot_count<RasterFamily::Groups, Index>(r, grid);
    default: return family_slot_count<RasterFamily::Factors, Index>(r, grid);
  }
}

/// tile_at of a raster of one family.
template <RasterFamily F, class Index>
constexpr TileCoord family_tile_at(const Raster& r, TileCoord grid, Index slot) {
  if constexpr (F == RasterFamily::Curves) {
    return r.kind == RasterKind::Hilbert ? detail::hilbert_at(grid, slot)
                                         : detail::morton_at(grid, slot);
  } else if constexpr (F == RasterFamily::Groups) {
    return detail::group_walk_at(detail::group_walk_of(r, grid), slot);
  } else if constexpr (F == RasterFamily::Plain) {
    return detail::group_walk_at(detail::plain_walk_of(r, grid), slot);
  } else {
    return r.axis == GroupAxis::M ? detail::factors_at(r, grid, slot)
                                  : transposed(detail::factors_at(r, transposed(grid), slot));
  }
}

/// The tile of a slot in [0, slot_count); it may lie outside the grid (see is_inside).
template <class Index>
constexpr TileCoord tile_at(const Raster& r, TileCoord grid, Index slot) {
  switch (family_of(r)) {
    case RasterFamily::Plain: return family_tile_at<RasterFamily::Plain>(r, grid, slot);
    case RasterFamily::Curves: return family_tile_at<RasterFamily::Curves>(r, grid, slot);
    case RasterFamily::Groups: return family_tile_at<RasterFamily::Groups>(r, grid, slot);
    default: return family_tile_at<RasterFamily::Factors>(r, grid, slot);
  }
}

/// The slot that computes a tile of the grid: the inverse of tile_at.
template <class Index>
constexpr Index slot_of(const Raster& r, TileCoord grid, TileCoord tile) {
  switch (r.kind) {
    case RasterKind::Row: return static_cast<Index>(tile.m) * grid.n + tile.n;
    case RasterKind::Col: return static_cast<Index>(tile.n) * grid.m + tile.m;
    case RasterKind::SplitMerge:
    case RasterKind::SwizzleMerge:
      return r.axis == GroupAxis::M
                 ? detail::factors_slot<Index>(r, grid, tile)
                 : detail::factors_slot<Index>(r, transposed(grid), transposed(tile));
    case RasterKind::Hilbert: return detail::hilbert_slot<Index>(grid, tile);
    case RasterKind::Morton: return detail::morton_slot<Index>(grid, tile);
    default: return detail::group_walk_slot<Index>(detail::group_walk_of(r, grid), tile);
  }
}

}  // namespace tw
