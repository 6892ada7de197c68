// Scales of 8-bit operands that the loading thread copies into the stages, each with the k-block
// that it scales.
#pragma once

#include "ptx/global_memory.cuh"
#include "sm90/args.cuh"
#include "sm90/params.cuh"

namespace tw {

/// A unit's place in the scales: the first row and column of the warpgroup's tile, the sizes of its
/// problem, and where that problem begins.
struct ScalePlace {
  int row;
  int column;
  int rows;     // of the problem's D
  int columns;  // sizes and lines are the kernel's: exchanged with swap_ab
  int problem = 0;
  int line_before = 0;  // line of the packed operand where the problem begins
};

/// The scales of one operand in the first k-block, for a unit's problem; `packed`: the problems'
/// lines are packed.
__device__ inline const float* scales_of_problem(const ScaleArgs& scales, const ScalePlace& place,
                                                 bool packed) {
  return scales.data + place.problem * scales.problem +
         (packed ? place.line_before * scales.line : 0);
}

/// Where a tile's scales of rows, and of columns, begin in the first k-block.
template <Sm90Params P>
__device__ const float* first_row_scale(const ScaleArgs& scales, const ScalePlace& place) {
  return scales_of_problem(scales, place, P.packed_rows() && !P.swap_ab) + place.row;
}
template <Sm90Params P>
__device__ const float* first_column_scale(const ScaleArgs& scales, const ScalePlace& place) {
  return scales_of_problem(scales, place, P.packed_rows() && P.swap_ab) + place.column;
}

/// Bytes from the 16-byte boundary where a copy begins to its first scale; k-blocks are a multiple
/// of 16 bytes apart.
__device__ inline int bytes_before(const float* first) {
  return static_cast<int>(reinterpret_cast<unsigned long long>(first) % 16);
}

/// The copies of `count` scales that lie together, of those that lie inside of D. What they read
/// beside these shares 16 bytes with one of them.
class ScaleCopies {
 public:
  __device__ ScaleCopies(const ScaleArgs& scales, const float* first, int k_begin, int count,
                         int inside)
      : next_(first - bytes_before(first) / 4 + k_begin * scales.k), scales_(scales) {
    const int lines = count < inside ? count : inside;
    bytes_ = lines > 0 ? (bytes_before(first) + 4 * lines + 15) / 16 * 16 : 0;
  }

  /// Bytes of a k-block's copy.
  __device__ int bytes() const { return bytes_; }

  /// Copies the next k-block's.
  __device__ void load(unsigned to, unsigned barrier) {
    if (bytes_ > 0) ptx::bulk_load(to, next_, bytes_, barrier);
    next_ += scales_.k;
  }
  __device__ void skip() { next_ += scales_.k; }

 private:
  const float* next_;
  const ScaleArgs& scales_;
  int bytes_;
};

/// A tile's scales that come with its stages; none where no operand's do.
template <Sm90Params P, bool kStaged = P.stages_scales()>
struct TileScales {
  __device__ int bytes() const { return 0; }
  __device__ void load(unsigned, unsigned, unsigned) {}
  __device__ void skip() {}
};

template <Sm90Params P>
class TileScales<P, true> {
 public:
  /// Starts at k-block `k_begin` of the tile at `place`.
  __device__ TileScales(const OperandScales& scales, const ScalePlace& place, int k_begin)
      : a_(scales.a, first_row_scale<P>(scales.a, place), k_begin, P.cta_m, place.rows - place.row),
        b_(scales.b, first_column_scale<P>(scales.b, place), k_begin, P.cta_n,
           place.columns - place.column) {}

  /// Bytes that they add to a stage.
  __device__ int bytes() const {
    return (P.staged_scales_a ? a_.bytes() : 0) + (P.staged_scales_b ? b_.bytes() : 0);
  }
  /// Copies the scales of the next k-block to `to_a` and `to_b`.
  __device__ void load(unsigned to_a, unsigned to_b, unsigned barrier) {
    if constexpr (P.staged_scales_a) a_.load(to_a, barrier);
    if constexpr (P.staged_scales_b) b_.load(to_b, barrier);
  }
  __device__ void skip() {
    a_.skip();
    b_.skip();
  }

 private:
  ScaleCopies a_;
  ScaleCopies b_;
};

}  // namespace tw
