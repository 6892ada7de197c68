// Grouped launches of packed problems, which differ only in their number of rows, like the experts
// of a mixture.
//
//   A, D   | rows of problem 0 | of 1 | of 2 ... |    problem p: [offsets[p], offsets[p + 1])
//   B      | N x K of problem 0 | of 1 | of 2 ... |
//
// Host and kernels count the tiles of a problem from its offsets by the same arithmetic.
#pragma once

#include "map/work_units.cuh"

namespace tw {

/// How a launch of many problems finds its units.
enum class Grouping : int {
  None,     // one problem
  Search,   // each warp computes them from the offsets, which only the device needs to have
  Table,    // the host writes a list of units for every worker
  Counter,  // as Search, for unit indices that a counter in device memory hands out
};

/// The properties that all problems of a packed group share.
struct PackedShape {
  TileCoord clusters;    // of one problem; the extent along its rows is not used
  int cluster_rows = 1;  // rows of a cluster's tile
  bool swap_ab = false;  // true in a kernel that computes the transposed product
  int k_steps = 0;
  int slices = 1;  // per tile
};

/// The problems of a packed group, for a raster of one family, as GroupWork reads them. Offsets are
/// int or long long; rows are counted in 31 bits. With kFromZero the kernel takes 0 instead of
/// reading offsets[0]: a caller that has the problems' ends passes the address of ends[-1].
template <RasterFamily F, class Offset = int, bool kFromZero = false>
struct PackedRows {
  const Offset* offsets = nullptr;
  Raster raster;
  PackedShape shape;

  constexpr Span<int> rows(int problem) const {
    const Offset begin = kFromZero && problem == 0 ? Offset{0} : offsets[problem];
    return {static_cast<int>(begin), static_cast<int>(offsets[problem + 1])};
  }

  /// The grid that the raster walks for a problem of `row_count` rows.
  constexpr TileCoord clusters_of(int row_count) const {
    const int along = (row_count + shape.cluster_rows - 1) / shape.cluster_rows;
    return shape.swap_ab ? TileCoord{shape.clusters.m, along} : TileCoord{along, shape.clusters.n};
  }

  constexpr ProblemWork<int> operator[](int problem) const {
    const int row_count = rows(problem).size();
    // A raster needs a grid of at least one tile.
    const int slots =
        row_count == 0 ? 0 : family_slot_count<F, int>(raster, clusters_of(row_count));
    return {slots, shape.k_steps, shape.slices};
  }
};

}  // namespace tw
