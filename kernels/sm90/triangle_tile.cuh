// What a kernel of rank-k updates has beside that of a product: operands that change from phase to
// phase, and tiles of which D has a part.
#pragma once

#include "map/triangle.cuh"
#include "ptx/tma.cuh"
#include "sm90/args.cuh"
#include "sm90/params.cuh"

namespace tw {

/// TMA descriptors of the operands by phase of plane 0, and of D's second plane; nothing of a plain
/// product, whose descriptors come by themselves.
template <bool kTriangular>
struct PhaseMaps {};

template <>
struct PhaseMaps<true> {
  ptx::TensorMap left[kMostPhases];  // rows of a tile, of matrix `phase`
  ptx::TensorMap
      right[kMostPhases];  // columns of a tile, of the matrix that phase multiplies it by
  ptx::TensorMap d;
  ptx::TensorMap d_tail;
};

/// The triangle that a launch walks of a problem of so many clusters.
template <Sm90Params P>
__device__ Triangle triangle_of(const Raster& raster, TileCoord clusters) {
  return {P.uplo == Uplo::Lower, clusters, P.cta_m * P.cluster_m, P.cta_n * P.cluster_n,
          band_of(raster)};
}

/// The cluster's tile of a slot, and whether it has an element of the triangle.
template <Sm90Params P>
__device__ TileCoord triangle_tile(const GemmArgs& args, TileCoord clusters, int slot,
                                   bool& inside) {
  const Triangle triangle = triangle_of<P>(args.raster, clusters);
  const TileCoord tile = P.whole_square ? family_tile_at<P.rasters>(args.raster, clusters, slot)
                                        : triangle_tile_at(triangle, slot);
  inside = is_active(triangle, tile);
  return tile;
}

/// How much of a piece of a tile D has.
enum class Wanted { Nothing, Part, Everything };

/// Of rows [row, row + rows) and columns [column, column + columns).
template <Sm90Params P>
__device__ Wanted wanted_of(int row, int column, int rows, int columns) {
  if constexpr (!P.triangular()) return Wanted::Everything;
  // The corners that lie deepest in the triangle and farthest outside of it.
  const bool lower = P.uplo == Uplo::Lower;
  const int last_row = row + rows - 1;
  const int last_column = column + columns - 1;
  if (!is_wanted(P.op, P.uplo, lower ? last_row : row, lower ? column : last_column)) {
    return Wanted::Nothing;
  }
  return is_wanted(P.op, P.uplo, lower ? row : last_row, lower ? last_column : column)
             ? Wanted::Everything
             : Wanted::Part;
}

}  // namespace tw
