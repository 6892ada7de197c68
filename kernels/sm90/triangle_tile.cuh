// Support for rank-k updates: operands that change from phase to phase, and tiles that lie only
// partly in D.
#pragma once

#include "map/triangle.cuh"
#include "ptx/tma.cuh"
#include "sm90/args.cuh"
#include "sm90/params.cuh"

namespace tw {

/// TMA descriptors of the operands by phase of plane 0, and of D's second plane. Empty for a plain
/// product: its descriptors are separate arguments.
template <bool kTriangular>
struct PhaseMaps {};

template <>
struct PhaseMaps<true> {
  ptx::TensorMap left[kMaxPhases];   // rows of a tile, by matrix
  ptx::TensorMap right[kMaxPhases];  // columns of a tile, by phase: the matrix of the right factor
  ptx::TensorMap d;
  ptx::TensorMap d_tail;
};

/// The triangle that a launch walks for a problem with a grid of `clusters`.
template <Sm90Params P>
__device__ Triangle triangle_of(const Raster& raster, TileCoord clusters) {
  return {P.uplo == Uplo::Lower, clusters, P.cta_m * P.cluster_m, P.cta_n * P.cluster_n,
          band_of(raster)};
}

/// The cluster's tile of a slot; `inside` is set where it has an element of the triangle.
template <Sm90Params P>
__device__ TileCoord triangle_tile(const GemmArgs& args, TileCoord clusters, int slot,
                                   bool& inside) {
  const Triangle triangle = triangle_of<P>(args.raster, clusters);
  const TileCoord tile = P.whole_square ? family_tile_at<P.rasters>(args.raster, clusters, slot)
                                        : triangle_tile_at(triangle, slot);
  inside = is_active(triangle, tile);
  return tile;
}

/// How much of a piece lies in D.
enum class Coverage { None, Partial, Full };

/// The same for rows [row, row + rows) and columns [column, column + columns).
template <Sm90Params P>
__device__ Coverage coverage_of(int row, int column, int rows, int columns) {
  if constexpr (!P.triangular()) return Coverage::Full;
  // The corners that lie deepest in the triangle and farthest outside it.
  const bool lower = P.uplo == Uplo::Lower;
  const int last_row = row + rows - 1;
  const int last_column = column + columns - 1;
  if (!is_in_output(P.op, P.uplo, lower ? last_row : row, lower ? column : last_column)) {
    return Coverage::None;
  }
  return is_in_output(P.op, P.uplo, lower ? row : last_row, lower ? last_column : column)
             ? Coverage::Full
             : Coverage::Partial;
}

}  // namespace tw
