// Scales of 8-bit operands in a consumer thread's registers.
//
// A thread holds the sums of two rows of each 64 (lane / 4 and lane / 4 + 8 of its warp's 16) and
// of two columns of each 8 (2 (lane % 4) + {0, 1}), so it reads the scales of these lines. Lines
// outside of D take the last line's scale: padding is not read.
#pragma once

#include "ptx/cluster.cuh"
#include "ptx/compiler.cuh"
#include "ptx/special_registers.cuh"
#include "sm90/args.cuh"
#include "sm90/mainloop.cuh"

namespace tw {

/// A unit's place in the scales: the first row and column of the warpgroup's tile, the sizes of its
/// problem, and where that problem begins.
struct ScalePlace {
  int row;
  int column;
  int rows;     // of the problem's D
  int columns;  // sizes and lines are the kernel's: exchanged with swap_ab
  int k_block;  // first
  int problem;
  int line_before;  // line of the packed operand where the problem begins
};

/// The first k-block's scales of one operand for a unit; `packed`: its problems' lines are packed.
__device__ inline const float* scales_of_unit(const ScaleArgs& scales, const ScalePlace& place,
                                              bool packed) {
  return scales.data + place.k_block * scales.k + place.problem * scales.problem +
         (packed ? place.line_before * scales.line : 0);
}

/// The index of line `line`'s scale; a line outside of D takes the last line's. The lines of a
/// stacked operand take turns.
template <ScaleForm F, bool Stacked>
__device__ int scale_index(int line, int lines) {
  const int inside = line < lines ? line : lines - 1;
  const int own = Stacked ? stacked_column(inside, lines) : inside;
  return F == ScaleForm::Block ? own / kScaleBlock : own;
}

/// A thread's loads of Count scales, which move on by k-blocks. The offset of a scale that all
/// lanes of a warp share has ptx::zero_of_lane() in it: ptxas moves values that it knows are
/// uniform to uniform registers, and so waits for the load at once instead of a k-block later.
template <int Count>
class ScaleLoads {
 public:
  /// Loads the scales of the current k-block.
  __device__ void load(float (&to)[Count]) const {
#pragma unroll
    for (int i = 0; i < Count; ++i) to[i] = at_[offsets_[i]];
  }
  /// Moves on by a k-block, whose scales are `k_block` floats further.
  __device__ void step(long long k_block) {
    at_ += k_block;
  }

 protected:
  __device__ explicit ScaleLoads(const float* at) : at_(at) {}

  const float* at_;
  int offsets_[Count];
};

/// Scales that a thread's rows have in one k-block.
constexpr int row_scales(const Sm90Params& p) {
  return (p.scales_row_blocks() ? 1 : 2) * p.mma_rows();
}

/// Scales of a thread's rows.
template <Sm90Params P>
class RowScales : public ScaleLoads<row_scales(P)> {
 public:
  static constexpr int kPerBlock = P.scales_row_blocks() ? 1 : 2;
  static constexpr int kCount = row_scales(P);

  /// The scales of one k-block.
  struct Values {
    float of[kCount];
  };

  /// The index of the upper (`half` 0) or lower row in block `block` of 64 rows.
  static constexpr int index(int block, int half) {
    return block * kPerBlock + (kPerBlock == 1 ? 0 : half);
  }

  __device__ RowScales(const ScaleArgs& scales, const ScalePlace& place, int thread)
      : ScaleLoads<kCount>(scales_of_unit(scales, place, P.packed_rows() && !P.swap_ab)) {
    const int row = place.row + (kPerBlock == 1 ? 0 : thread / 32 * 16 + thread % 32 / 4);
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      const int line = row + i / kPerBlock * Sm90Params::kMmaM + i % kPerBlock * 8;
      this->offsets_[i] =
          scale_index<P.scales_a, P.stacked_a()>(line, place.rows) * static_cast<int>(scales.line) +
          (kPerBlock == 1 ? ptx::zero_of_lane() : 0);
    }
  }
};

/// Scales of a tile's columns by 128: those of the first block that the tile lies in, and of the
/// next one.
template <Sm90Params P>
class ColumnBlockScales : public ScaleLoads<P.column_blocks()> {
 public:
  static constexpr int kCount = P.column_blocks();

  /// The scales of one k-block.
  struct Values {
    float of[kCount];
  };

  __device__ ColumnBlockScales(const ScaleArgs& scales, const ScalePlace& place)
      : ScaleLoads<kCount>(scales_of_unit(scales, place, P.packed_rows() && P.swap_ab)),
        split_((kScaleBlock - place.column % kScaleBlock) / 8) {
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      const int index =
          scale_index<ScaleForm::Block, false>(place.column + i * kScaleBlock, place.columns);
      this->offsets_[i] = index * static_cast<int>(scales.line) + ptx::zero_of_lane();
    }
  }

  /// Eights of the tile's columns in its first block.
  __device__ int split() const {
    return split_;
  }

 private:
  int split_;
};

/// Lanes of a warp: each holds every 32nd of a tile's column scales.
inline constexpr int kScaleLanes = 32;
constexpr int lane_scales(const Sm90Params& p) {
  return (p.cta_n + kScaleLanes - 1) / kScaleLanes;
}

/// Scales of a tile's columns: each lane holds every 32nd, and the lanes of a warp exchange them.
template <Sm90Params P>
class ColumnScales : public ScaleLoads<lane_scales(P)> {
 public:
  static constexpr int kCount = lane_scales(P);

  /// The scales of one k-block.
  struct Values {
    float of[kCount];

    /// The scale of the thread's left (`side` 0) or right column of eight `eight`. All lanes of
    /// the warp call it.
    __device__ float at(int eight, int side) const {
      constexpr int kEights = kScaleLanes / 8;
      const int lane = eight % kEights * 8 + static_cast<int>(threadIdx.x) % 4 * 2 + side;
      return ptx::from_lane(of[eight / kEights], lane);
    }
  };

  __device__ ColumnScales(const ScaleArgs& scales, const ScalePlace& place)
      : ScaleLoads<kCount>(scales_of_unit(scales, place, P.packed_rows() && P.swap_ab)) {
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      const int column =
          place.column + i * kScaleLanes + static_cast<int>(threadIdx.x) % kScaleLanes;
      this->offsets_[i] = scale_index<P.scales_b, P.stacked_b()>(column, place.columns) *
                          static_cast<int>(scales.line);
    }
  }
};

/// The scales of a unit's k-blocks, and the promotion of a k-block's sums. Both steps of advance()
/// take place while the k-block's wgmmas run: its factors are made from scales that were loaded
/// during the k-block before, then the next loads begin. ptxas waits for all loads that are in
/// flight, not for one k-block's.
template <Sm90Params P>
class UnitScales {
  static constexpr bool kColumnBlocks = P.scales_column_blocks();
  template <bool kBlocks, class Unused = void>
  struct ColumnsOf {
    using Type = ColumnScales<P>;
  };
  template <class Unused>
  struct ColumnsOf<true, Unused> {
    using Type = ColumnBlockScales<P>;
  };
  using Columns = typename ColumnsOf<kColumnBlocks>::Type;

 public:
  __device__ UnitScales(const OperandScales& scales, const ScalePlace& place, int thread)
      : scales_(scales), rows_(scales.a, place, thread), columns_(scales.b, place) {
    load();
  }

  /// Makes the factors of the k-block whose scales are loaded; loads those of the next one if there
  /// are `more`.
  __device__ void advance(bool more) {
    if constexpr (kColumnBlocks) {
#pragma unroll
      for (int i = 0; i < kFactors; ++i) {
        factors_[i] = loaded_rows_.of[i % kRows] * loaded_columns_.of[i / kRows];
        ptx::compute_now(factors_[i]);
      }
    } else {
      own_rows_ = loaded_rows_;
      own_columns_ = loaded_columns_;
    }
    if (!more) return;
    rows_.step(scales_.a.k);
    columns_.step(scales_.b.k);
    load();
  }

  /// Adds the k-block's sums of wgmma `i` to those of the tile.
  __device__ void promote(int i, const WgmmaSums<P>& part, WgmmaSums<P>& sums) const {
    const int block = i / P.mma_tiles_n();
    const int first = i % P.mma_tiles_n() * P.mma_n() / 8;
    if constexpr (kColumnBlocks) {
      promote_split<P.least_split()>(block, first, part, sums);
    } else {
      promote_by_columns(block, first, part, sums);
    }
  }

 private:
  static constexpr int kRows = RowScales<P>::kCount;
  static constexpr int kFactors = kColumnBlocks ? kRows * P.column_blocks() : 1;

  __device__ void load() {
    rows_.load(loaded_rows_.of);
    columns_.load(loaded_columns_.of);
  }

  /// For a tile whose second block of columns begins after Split eights or more: one branch instead
  /// of a choice for every column.
  template <int Split>
  __device__ void promote_split(int block, int first, const WgmmaSums<P>& part,
                                WgmmaSums<P>& sums) const {
    if constexpr (P.column_blocks() > 1 && Split < kScaleBlock / 8) {
      if (columns_.split() > Split) {
        return promote_split<Split + P.least_split()>(block, first, part, sums);
      }
    }
#pragma unroll
    for (int j = 0; j < P.mma_n() / 2; ++j) {
      const int second = P.column_blocks() > 1 && first + j / 4 >= Split ? 1 : 0;
      const int row = RowScales<P>::index(block, j / 2 % 2);
      sums[j] = fmaf(part[j], factors_[second * kRows + row], sums[j]);
    }
  }

  __device__ void promote_by_columns(int block, int first, const WgmmaSums<P>& part,
                                     WgmmaSums<P>& sums) const {
#pragma unroll
    for (int eight = 0; eight < P.mma_n() / 8; ++eight) {
#pragma unroll
      for (int side = 0; side < 2; ++side) {
        const float of_column = own_columns_.at(first + eight, side);
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const int j = 4 * eight + 2 * half + side;
          // The product of both scales would be computed, and held, before the sums are known.
          const float of_row = own_rows_.of[RowScales<P>::index(block, half)];
          sums[j] = fmaf(part[j] * of_column, of_row, sums[j]);
        }
      }
    }
  }

  const OperandScales& scales_;
  RowScales<P> rows_;
  Columns columns_;
  typename RowScales<P>::Values loaded_rows_;
  typename Columns::Values loaded_columns_;
  float factors_[kFactors];  // with column blocks; else the scales themselves
  typename RowScales<P>::Values own_rows_;
  typename Columns::Values own_columns_;
};

}  // namespace tw
