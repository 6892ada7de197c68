// Scales of 8-bit operands in a consumer thread's registers.
//
// A thread holds the sums of two rows of each 64 (lane / 4 and lane / 4 + 8 of its warp's 16) and
// of two columns of each 8 (2 (lane % 4) + {0, 1}), so it reads the scales of these lines. Lines
// outside of D take arbitrary scales.
//
// A source of scales has `current(stage)`, the scales of the current k-block, which is in that
// stage, and `advance(more)`, which goes to the next one.
#pragma once

#include "ptx/cluster.cuh"
#include "ptx/compiler.cuh"
#include "ptx/global_memory.cuh"
#include "ptx/shared_access.cuh"
#include "ptx/special_registers.cuh"
#include "sm90/element_operands.cuh"
#include "sm90/mainloop.cuh"
#include "sm90/staged_scales.cuh"

namespace tw {

/// Lanes of a warp.
inline constexpr int kScaleLanes = 32;

template <bool kFirst, class A, class B>
struct Either {
  using Type = A;
};
template <class A, class B>
struct Either<false, A, B> {
  using Type = B;
};

/// The index of the scale of operand_line().
template <ScaleForm F, bool Stacked>
__device__ int scale_index(int line, int lines) {
  const int own = operand_line<Stacked>(line, lines);
  return F == ScaleForm::Block ? own / kScaleBlock : own;
}

/// Count scales that all threads share, of blocks of 128 lines: each lane holds those of every 32nd
/// k-block. The next 32 k-blocks are loaded that long before they are used. advance() has no
/// branches: where wgmmas are in flight, ptxas would serialise them.
template <int Count>
class BlockScales {
 public:
  struct Values {
    float of[Count];
  };

  /// `at`: the first k-block's scales of the problem; scale i is that of line `line` + i `apart`.
  __device__ BlockScales(const ScaleArgs& scales, const float* at, int line, int apart, int lines,
                         Span<int> k)
      : scales_(scales), at_(at + k.begin * scales.k), last_(k.size() - 1) {
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      offsets_[i] = scale_index<ScaleForm::Block, false>(line + i * apart, lines) *
                    static_cast<int>(scales.line);
      held_.of[i] = *scale(i, 0);
      loaded_.of[i] = *scale(i, kScaleLanes);
    }
  }

  __device__ Values current(unsigned) const {
    Values values;
#pragma unroll
    for (int i = 0; i < Count; ++i) values.of[i] = ptx::from_lane(held_.of[i], done_);
    return values;
  }

  __device__ void advance(bool) {
    ++done_;
    const bool taken = done_ % kScaleLanes == 0;
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      held_.of[i] = taken ? loaded_.of[i] : held_.of[i];
      ptx::load_if(taken, scale(i, done_ + kScaleLanes), loaded_.of[i]);
    }
  }

 private:
  /// Scale `i` of the lane's k-block from `first` on.
  __device__ const float* scale(int i, int first) const {
    const int block = first + static_cast<int>(threadIdx.x) % kScaleLanes;
    return at_ + offsets_[i] + (block < last_ ? block : last_) * static_cast<int>(scales_.k);
  }

  const ScaleArgs& scales_;
  const float* at_;  // of the unit's first k-block
  int last_;         // k-block
  int done_ = 0;     // k-blocks
  int offsets_[Count];
  Values held_;
  Values loaded_;
};

/// Count scales of lines, in order of the k-blocks: those of the next one are loaded during a
/// k-block. ptxas waits for all loads that are in flight, not for one k-block's.
template <int Count>
class LineScales {
 public:
  struct Values {
    float of[Count];
  };

  __device__ LineScales(const ScaleArgs& scales, const float* at, int k_begin)
      : scales_(scales), at_(at + k_begin * scales.k) {}

  __device__ const Values& current(unsigned) const { return loaded_; }

  __device__ void advance(bool more) {
    at_ += scales_.k;
    if (more) load();
  }

 protected:
  __device__ void load() {
#pragma unroll
    for (int i = 0; i < Count; ++i) loaded_.of[i] = at_[offsets_[i]];
  }

  const ScaleArgs& scales_;
  const float* at_;
  int offsets_[Count];
  Values loaded_;
};

/// Scales that a thread's rows have in one k-block.
constexpr int row_scales(const Sm90Params& p) {
  return (p.scales_row_blocks() ? 1 : 2) * p.mma_rows();
}

/// The index of the upper (`half` 0) or lower row in block `block` of 64 rows.
template <Sm90Params P>
constexpr int row_scale_index(int block, int half) {
  return P.scales_row_blocks() ? block : 2 * block + half;
}

/// The thread's first row in its warpgroup's tile.
__device__ inline int first_row_of(int thread) {
  return thread / 32 * 16 + thread % 32 / 4;
}

/// The row of scale `i` among those of a thread, from its first row on.
constexpr int row_of_scale(int i) {
  return i / 2 * Sm90Params::kMmaM + i % 2 * 8;
}

/// Scales of a thread's rows from memory.
template <Sm90Params P>
class LoadedRowScales : public LineScales<row_scales(P)> {
 public:
  __device__ LoadedRowScales(const ScaleArgs& scales, const ScalePlace& place, Span<int> k,
                             int thread)
      : LineScales<row_scales(P)>(
            scales, scales_of_problem(scales, place, P.packed_rows() && !P.swap_ab), k.begin) {
#pragma unroll
    for (int i = 0; i < row_scales(P); ++i) {
      const int row = place.row + first_row_of(thread) + row_of_scale(i);
      this->offsets_[i] =
          scale_index<P.scales_a, P.stacked_a()>(row, place.rows) * static_cast<int>(scales.line);
    }
    this->load();
  }
};

/// Scales of a thread's rows from the stage.
template <Sm90Params P>
class StagedRowScales {
 public:
  struct Values {
    float of[row_scales(P)];
  };

  /// `rows_before`: of the CTA's tile.
  __device__ StagedRowScales(const ScaleArgs& scales, const ScalePlace& place, int rows_before,
                             int thread)
      : offset_(bytes_before(first_row_scale<P>(scales, place)) +
                4 * (rows_before + first_row_of(thread))) {}

  __device__ Values current(unsigned stage) const {
    Values values;
#pragma unroll
    for (int i = 0; i < row_scales(P); ++i) {
      values.of[i] = ptx::ld_shared(stage + offset_ + 4 * row_of_scale(i));
    }
    return values;
  }
  __device__ void advance(bool) {}

 private:
  unsigned offset_;
};

/// Scales of a tile's columns: each lane holds every 32nd, and the lanes of a warp exchange them.
template <Sm90Params P>
struct SharedColumnScales {
  static constexpr int kCount = (P.cta_n + kScaleLanes - 1) / kScaleLanes;

  float of[kCount];

  /// The column of scale `i`, from the tile's first column on.
  __device__ static int column(int i) {
    return i * kScaleLanes + static_cast<int>(threadIdx.x) % kScaleLanes;
  }

  /// The scale of the thread's left (`side` 0) or right column of eight `eight`. All lanes of the
  /// warp call it.
  __device__ float at(int eight, int side) const {
    constexpr int kEights = kScaleLanes / 8;
    const int lane = eight % kEights * 8 + static_cast<int>(threadIdx.x) % 4 * 2 + side;
    return ptx::from_lane(of[eight / kEights], lane);
  }
};

/// The same, where each thread holds those of its own columns.
template <Sm90Params P>
struct OwnColumnScales {
  static constexpr int kCount = P.cta_n / 4;

  float of[kCount];

  __device__ static int column(int i) {
    return i / 2 * 8 + static_cast<int>(threadIdx.x) % 4 * 2 + i % 2;
  }
  __device__ float at(int eight, int side) const { return of[2 * eight + side]; }
};

/// Scales of a tile's columns from memory.
template <Sm90Params P>
class LoadedColumnScales : public LineScales<SharedColumnScales<P>::kCount> {
  static constexpr int kCount = SharedColumnScales<P>::kCount;

 public:
  using Values = SharedColumnScales<P>;

  __device__ LoadedColumnScales(const ScaleArgs& scales, const ScalePlace& place, Span<int> k)
      : LineScales<kCount>(scales, scales_of_problem(scales, place, P.packed_rows() && P.swap_ab),
                           k.begin) {
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      const int column = place.column + Values::column(i);
      this->offsets_[i] = scale_index<P.scales_b, P.stacked_b()>(column, place.columns) *
                          static_cast<int>(scales.line);
    }
    this->load();
  }

  __device__ Values current(unsigned) const {
    Values values;
#pragma unroll
    for (int i = 0; i < kCount; ++i) values.of[i] = this->loaded_.of[i];
    return values;
  }
};

/// Scales of a tile's columns from the stage. Many of them would take too many registers.
template <Sm90Params P>
class StagedColumnScales {
  static constexpr int kMaxOwn = 32;

 public:
  using Values =
      typename Either<(P.cta_n <= kMaxOwn), OwnColumnScales<P>, SharedColumnScales<P>>::Type;

  __device__ StagedColumnScales(const ScaleArgs& scales, const ScalePlace& place, Span<int>)
      : offset_(bytes_before(first_column_scale<P>(scales, place)) + 4 * Values::column(0)) {}

  __device__ Values current(unsigned stage) const {
    Values values;
#pragma unroll
    for (int i = 0; i < Values::kCount; ++i) {
      values.of[i] = ptx::ld_shared(stage + offset_ + 4 * columns_to(i));
    }
    return values;
  }
  __device__ void advance(bool) {}

 private:
  /// Columns from the thread's first scale to its scale `i`. Lanes behind the tile's last column
  /// read that one: the next stage's scales lie behind it.
  __device__ static int columns_to(int i) {
    const int columns = Values::column(i) - Values::column(0);
    if (P.cta_n <= kMaxOwn || (i + 1) * kScaleLanes <= P.cta_n) return columns;
    const int last = P.cta_n - 1 - Values::column(0);
    return columns < last ? columns : last;
  }

  unsigned offset_;
};

/// The scales of a unit's k-blocks, and the promotion of a k-block's sums. advance() takes place
/// while the k-block's wgmmas run.
template <Sm90Params P>
class UnitScales {
  static constexpr bool kRowBlocks = P.scales_row_blocks();
  static constexpr bool kColumnBlocks = P.scales_column_blocks();
  using RowLines = typename Either<P.staged_scales_a, StagedRowScales<P>, LoadedRowScales<P>>::Type;
  using ColumnLines =
      typename Either<P.staged_scales_b, StagedColumnScales<P>, LoadedColumnScales<P>>::Type;
  using Rows = typename Either<kRowBlocks, BlockScales<P.mma_rows()>, RowLines>::Type;
  using Columns = typename Either<kColumnBlocks, BlockScales<P.column_blocks()>, ColumnLines>::Type;

 public:
  /// `place`: of the warpgroup's rows, `rows_before` of the CTA's tile.
  __device__ UnitScales(const OperandScales& scales, const ScalePlace& place, int rows_before,
                        Span<int> k, int thread)
      : rows_(rows_of(scales.a, place, rows_before, k, thread)),
        columns_(columns_of(scales.b, place, k)),
        split_((kScaleBlock - place.column % kScaleBlock) / 8) {}

  /// Multiplies the scales of the current k-block, and goes to the next one, if there are `more`.
  /// `stage_a`, `stage_b`: shared addresses of the scales that came with the stage.
  __device__ void advance(unsigned stage_a, unsigned stage_b, bool more) {
    const typename Rows::Values of_rows = rows_.current(stage_a);
    const typename Columns::Values of_columns = columns_.current(stage_b);
    if constexpr (kColumnBlocks) {
#pragma unroll
      for (int i = 0; i < kFactors; ++i) {
        factors_[i] = of_rows.of[i % kRows] * of_columns.of[i / kRows];
        ptx::compute_now(factors_[i]);
      }
    } else {
      own_rows_ = of_rows;
      own_columns_ = of_columns;
    }
    rows_.advance(more);
    columns_.advance(more);
  }

  /// 0, known once the k-block's scales have come from the stage.
  __device__ int pending() const {
    unsigned bits = 0;
    if constexpr (!P.stages_scales()) return 0;
    if constexpr (kColumnBlocks) {
#pragma unroll
      for (const float factor : factors_) bits |= __float_as_uint(factor);
    } else {
#pragma unroll
      for (const float of_row : own_rows_.of) bits |= __float_as_uint(of_row);
#pragma unroll
      for (const float of_column : own_columns_.of) bits |= __float_as_uint(of_column);
    }
    return static_cast<int>(bits) & zero_;
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
  static constexpr int kRows = row_scales(P);
  static constexpr int kFactors = kColumnBlocks ? kRows * P.column_blocks() : 1;

  __device__ static Rows rows_of(const ScaleArgs& scales, const ScalePlace& place, int rows_before,
                                 Span<int> k, int thread) {
    if constexpr (kRowBlocks) {
      return {scales,     scales_of_problem(scales, place, P.packed_rows() && !P.swap_ab),
              place.row,  Sm90Params::kMmaM,
              place.rows, k};
    } else if constexpr (P.staged_scales_a) {
      return {scales, place, rows_before, thread};
    } else {
      return {scales, place, k, thread};
    }
  }
  __device__ static Columns columns_of(const ScaleArgs& scales, const ScalePlace& place,
                                       Span<int> k) {
    if constexpr (kColumnBlocks) {
      return {scales,        scales_of_problem(scales, place, P.packed_rows() && P.swap_ab),
              place.column,  kScaleBlock,
              place.columns, k};
    } else {
      return {scales, place, k};
    }
  }

  /// For a tile whose second block of columns begins after Split eights or more: one branch instead
  /// of a choice for every column.
  template <int Split>
  __device__ void promote_split(int block, int first, const WgmmaSums<P>& part,
                                WgmmaSums<P>& sums) const {
    if constexpr (P.column_blocks() > 1 && Split < kScaleBlock / 8) {
      if (split_ > Split) {
        return promote_split<Split + P.least_split()>(block, first, part, sums);
      }
    }
#pragma unroll
    for (int j = 0; j < P.mma_n() / 2; ++j) {
      const int second = P.column_blocks() > 1 && first + j / 4 >= Split ? 1 : 0;
      const int row = row_scale_index<P>(block, j / 2 % 2);
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
        const float factor = of_column * own_rows_.of[row_scale_index<P>(block, 0)];
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const int j = 4 * eight + 2 * half + side;
          // The products of both rows' scales would be computed, and held, before the sums are
          // known.
          const float of_row = own_rows_.of[row_scale_index<P>(block, half)];
          sums[j] = kRowBlocks ? fmaf(part[j], factor, sums[j])
                               : fmaf(part[j] * of_column, of_row, sums[j]);
        }
      }
    }
  }

  const int zero_ = ptx::zero_of_lane();
  Rows rows_;
  Columns columns_;
  int split_;                // eights of the tile's columns in its first block
  float factors_[kFactors];  // with column blocks; else the scales themselves
  typename Rows::Values own_rows_;
  typename Columns::Values own_columns_;
};

}  // namespace tw
