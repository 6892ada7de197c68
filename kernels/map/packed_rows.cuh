// Groups whose problems lie packed: they differ in their rows alone, as the experts of a mixture
// do.
//
//   A, D   | rows of problem 0 | of 1 | of 2 ... |    problem p: [offsets[p], offsets[p + 1])
//   B      | N x K of problem 0 | of 1 | of 2 ... |
//
// Host and kernels count a problem's tiles from its offsets by the same arithmetic.
#pragma once

#include "map/work_units.cuh"

namespace tw {

/// Who finds the units of a launch of many problems.
enum class Grouping : int {
  None,     // one problem
  Search,   // each warp, from the offsets: nobody else need know them
  Table,    // the host, which writes every worker's units down
  Counter,  // the same as Search of the units that a counter on the device deals out
};

/// What all problems of a packed group have in common.
struct PackedShape {
  TileCoord clusters;       // of one problem; the extent along its rows does not count
  int cluster_rows = 1;     // that a cluster's tile spans
  bool rows_are_n = false;  // in a kernel that computes the transposed product
  int k_steps = 0;
};

/// The problems of a packed group, for a raster of one family: what GroupWork wants of them.
/// Offsets are int or long long; rows are counted in 31 bits. With kFromZero the kernel reads 0
/// in place of offsets[0]: a caller that has the problems' ends passes the address of ends[-1].
template <RasterFamily F, class Offset = int, bool kFromZero = false>
struct PackedRows {
  const Offset* offsets = nullptr;
  Raster raster;
  PackedShape shape;

  constexpr Span<int> rows(int problem) const {
    const Offset begin = kFromZero && problem == 0 ? Offset{0} : offsets[problem];
    return {static_cast<int>(begin), static_cast<int>(offsets[problem + 1])};
  }

  /// The grid that the raster walks of a problem of so many rows.
  constexpr TileCoord clusters_of(int row_count) const {
    const int along = (row_count + shape.cluster_rows - 1) / shape.cluster_rows;
    return shape.rows_are_n ? TileCoord{shape.clusters.m, along}
                            : TileCoord{along, shape.clusters.n};
  }

  constexpr ProblemWork<int> operator[](int problem) const {
    const int row_count = rows(problem).size();
    // Rasters want a grid of at least one tile.
    const int slots =
        row_count == 0 ? 0 : family_slot_count<F, int>(raster, clusters_of(row_count));
    return {slots, shape.k_steps};
  }
};

}  // namespace tw
