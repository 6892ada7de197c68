// The main loop of the sm_80 family: sums += A B over k-blocks, through a ring of stages.
#pragma once

#include "ptx/mma.cuh"
#include "sm80/loads.cuh"

namespace tw {

template <Sm80Params P>
using WarpSums = float[P.mma_rows()][P.mma_columns()][4];

template <Sm80Params P>
inline constexpr CopyPlan kCopyA{P.a_tile(), P.a_copy_bytes, P.a_k_major, P.threads()};
template <Sm80Params P>
inline constexpr CopyPlan kCopyB{P.b_tile(), P.b_copy_bytes, P.b_k_major, P.threads(),
                                 P.epilogue.stacked};

/// A lane's ldmatrix addresses in a stage, in bytes: one step is 16 rows or 16 columns of the tile.
template <StageTile T, int ColumnSteps>
struct LaneOffsets {
  // True where the swizzle repeats after 16 rows: then one offset per column serves all rows.
  static constexpr bool kRowsRepeat = 16 * T.stride() % T.period() == 0;

  TilePlace place;
  unsigned by_column[ColumnSteps];

  __device__ explicit LaneOffsets(TilePlace first) : place(first) {
#pragma unroll
    for (int i = 0; i < ColumnSteps; ++i) by_column[i] = plain(0, i);
  }
  __device__ unsigned at(int row_step, int column_step) const {
    if constexpr (kRowsRepeat) {
      return by_column[column_step] + Sm80Params::kElementBytes * 16 * T.stride() * row_step;
    } else {
      return plain(row_step, column_step);
    }
  }

 private:
  __device__ unsigned plain(int row_step, int column_step) const {
    return Sm80Params::kElementBytes *
           T.offset(place.row + 16 * row_step, place.column + 16 * column_step);
  }
};

/// The operands of one k-step in registers.
template <Sm80Params P>
struct Fragments {
  unsigned a[P.mma_rows()][4];
  unsigned b[P.mma_columns() / 2][4];
};

/// Reads a warp's operands from the stages.
template <Sm80Params P>
struct FragmentReader {
  LaneOffsets<P.a_tile(), P.a_k_major ? P.mma_steps() : P.mma_rows()> a;
  LaneOffsets<P.b_tile(), P.b_k_major ? P.mma_steps() : P.mma_columns() / 2> b;

  __device__ FragmentReader(int lane, int first_row, int first_column)
      : a(P.a_matrix_row(lane, first_row, 0)), b(P.b_matrix_row(lane, first_column, 0)) {}

  __device__ void read(unsigned stage, int step, Fragments<P>& f) const {
#pragma unroll
    for (int i = 0; i < P.mma_rows(); ++i) {
      ptx::load_matrices<!P.a_k_major>(f.a[i],
                                       stage + (P.a_k_major ? a.at(i, step) : a.at(step, i)));
    }
#pragma unroll
    for (int j = 0; j < P.mma_columns() / 2; ++j) {
      ptx::load_matrices<!P.b_k_major>(
          f.b[j], stage + P.a_stage_bytes() + (P.b_k_major ? b.at(j, step) : b.at(step, j)));
    }
  }
};

template <Sm80Params P>
__device__ void multiply_step(const Fragments<P>& f, WarpSums<P>& sums) {
#pragma unroll
  for (int i = 0; i < P.mma_rows(); ++i) {
#pragma unroll
    for (int j = 0; j < P.mma_columns(); ++j) {
      ptx::multiply_add<P.element>(sums[i][j], f.a[i], f.b[j / 2][j % 2 * 2],
                                   f.b[j / 2][j % 2 * 2 + 1]);
    }
  }
}

/// The ring of stages: `drained` is being multiplied, `filled` receives the newest copies.
template <Sm80Params P>
struct StageRing {
  unsigned shared;
  int drained = 0;
  int filled = P.stages - 1;

  __device__ unsigned at(int stage) const { return shared + stage * P.stage_bytes(); }
  __device__ int after(int stage) const { return stage + 1 == P.stages ? 0 : stage + 1; }
  __device__ void advance() {
    drained = after(drained);
    filled = after(filled);
  }
};

/// The copies of both operands.
template <Sm80Params P>
struct PairCopy {
  StageCopy<kCopyA<P>> a;
  StageCopy<kCopyB<P>> b;
  OperandView a_view;
  OperandView b_view;

  __device__ void start(unsigned stage, int block) {
    a.start(stage, a_view, block * P.cta_k);
    b.start(stage + P.a_stage_bytes(), b_view, block * P.cta_k);
  }
  __device__ void finish(unsigned stage) {
    a.finish(stage);
    b.finish(stage + P.a_stage_bytes());
  }
};

/// Waits until all threads' copies of the oldest stage in flight have arrived and all threads have
/// read the stage before it.
template <Sm80Params P>
__device__ void await_stage() {
  ptx::copy_async_wait<P.stages - 2>();
  __syncthreads();
}

/// Sums over k-blocks [begin, end) of the CTA's tile. While a step is multiplied, the warp reads
/// the operands of the next one, across stages too.
template <Sm80Params P>
__device__ void multiply_tile(unsigned shared, const OperandView& a, const OperandView& b,
                              const FragmentReader<P>& reader, int begin, int end,
                              WarpSums<P>& sums) {
  // Copies through registers are written after the arithmetic that hides their latency; with two
  // stages there is no time for that.
  constexpr bool kFinishLate = P.stages > 2;
  constexpr int kSteps = P.mma_steps();
  PairCopy<P> copy{{}, {}, a, b};
  StageRing<P> ring{shared};
#pragma unroll
  for (int stage = 0; stage < P.stages - 1; ++stage) {
    if (begin + stage < end) {
      copy.start(ring.at(stage), begin + stage);
      copy.finish(ring.at(stage));
    }
    ptx::copy_async_commit();
  }
  await_stage<P>();
  Fragments<P> fragments[2];
  reader.read(ring.at(ring.drained), 0, fragments[0]);
  for (int block = begin; block < end; ++block) {
    const int next = block + P.stages - 1;
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      if (step + 1 < kSteps) {
        reader.read(ring.at(ring.drained), step + 1, fragments[(step + 1) % 2]);
      } else {
        if (!kFinishLate && next < end) copy.finish(ring.at(ring.filled));
        await_stage<P>();
        if (block + 1 < end) {
          reader.read(ring.at(ring.after(ring.drained)), 0, fragments[(step + 1) % 2]);
        }
      }
      if (step == 0) {
        if (next < end) copy.start(ring.at(ring.filled), next);
        ptx::copy_async_commit();
      }
      multiply_step<P>(fragments[step % 2], sums);
    }
    if (kFinishLate && next < end) copy.finish(ring.at(ring.filled));
    ring.advance();
  }
  ptx::copy_async_wait<0>();
}

}  // namespace tw
