// The consumers' main loop: accumulators += A B over the k-blocks of one tile.
#pragma once

#include "ptx/wgmma.cuh"
#include "sm90/pipeline.cuh"

namespace tw {

/// The sums of one wgmma.
template <Sm90Params P>
using WgmmaSums = float[P.mma_n() / 2];

/// One array per wgmma: row blocks outside, parts of the columns inside.
template <Sm90Params P>
using Accumulators = WgmmaSums<P>[P.mma_rows() * P.mma_tiles_n()];

/// The operands of a warpgroup's rows in one stage. A row of a K-major operand is one 128-byte
/// swizzle span, so a step along k adds 32 bytes to its descriptor; in an MN-major operand k runs
/// over the rows.
template <Sm90Params P>
class StageOperands {
 public:
  __device__ StageOperands(const SharedLayout<P>& shared, int stage, int first_row)
      : a_(ptx::wgmma_descriptor<kSlabBytes>(shared.a_tile(stage) + first_row * kRowBytes)),
        b_(ptx::wgmma_descriptor<kSlabBytes>(shared.b_tile(stage))) {}

  /// Issues step `step` of 32 bytes along k of wgmma `i`, whose products are added, or subtracted
  /// where Sign is -1; `first`: from zero.
  template <int Sign>
  __device__ void multiply(int i, int step, bool first, WgmmaSums<P>& sums) const {
    const int block = i / P.mma_tiles_n();
    const int tile_n = i % P.mma_tiles_n();
    ptx::Wgmma<P.mma_n()>::template multiply<P.element, P.a_mn_major, P.b_mn_major, Sign>(
        sums, a_ + block * kBlockUnits + step * kStepA, b_ + tile_n * kTileUnits + step * kStepB,
        first ? 0 : 1);
  }

  __device__ unsigned long long a() const { return a_; }
  __device__ unsigned long long b() const { return b_; }

  static constexpr int kRowBytes = Sm90Params::kStageRowBytes;
  static constexpr int kSlabBytes = P.cta_k * kRowBytes;
  // Descriptors count 16 bytes. 64 lines of either major are 64 rows of 128 bytes.
  static constexpr int kAlongK = P.mma_k() * bytes_of(P.element) / 16;
  static constexpr int kAlongRows = P.mma_k() * kRowBytes / 16;
  static constexpr int kStepA = P.a_mn_major ? kAlongRows : kAlongK;
  static constexpr int kStepB = P.b_mn_major ? kAlongRows : kAlongK;
  static constexpr int kBlockUnits = Sm90Params::kMmaM * kRowBytes / 16;
  static constexpr int kTileUnits = P.mma_n() * kRowBytes / 16;

 private:
  unsigned long long a_;
  unsigned long long b_;
};

/// Steps of one wgmma's depth in a stage.
constexpr int stage_steps(const Sm90Params& p) {
  return p.cta_k / p.mma_k();
}

/// Multiplies one stage: 4 wgmma for each row block and part of the columns. With `first`, the sums
/// start from zero.
template <Sm90Params P, int Sign>
__device__ void multiply_stage(const SharedLayout<P>& shared, int stage, int first_row, bool first,
                               Accumulators<P>& sums) {
  const StageOperands<P> operands(shared, stage, first_row);
#pragma unroll
  for (int step = 0; step < stage_steps(P); ++step) {
#pragma unroll
    for (int i = 0; i < P.mma_rows() * P.mma_tiles_n(); ++i) {
      operands.template multiply<Sign>(i, step, first && step == 0, sums[i]);
    }
  }
}

/// The stage `back` places before the current one.
template <Sm90Params P>
__device__ int stage_before(const PipelineState<P>& state, int back) {
  return (state.stage + P.stages - back) % P.stages;
}

template <Sm90Params P>
__device__ void clear(Accumulators<P>& sums) {
#pragma unroll
  for (auto& of_wgmma : sums) {
#pragma unroll
    for (float& sum : of_wgmma) sum = 0;
  }
}

/// Accumulates the warpgroup's rows of one tile, from `first_row` of the tile on. One group of
/// wgmmas stays in flight, so a stage is released one block late. The last `Reused` stages are not
/// released: the epilogue uses them. Calls `issued` once the last wgmmas are issued, so that
/// another warpgroup's can queue up behind them. With `first`, the sums start from zero.
template <Sm90Params P, int Sign = 1, int Reused = P.stages_reused, class Issued>
__device__ void multiply_tile(const SharedLayout<P>& shared, int first_row, unsigned rank,
                              int thread, int k_blocks, PipelineState<P>& state,
                              Accumulators<P>& sums, const Issued& issued, bool first = true) {
  int drained = -1;
  // A problem without k-blocks has zero sums.
  if constexpr (P.per_problem_shapes) {
    if (first) clear<P>(sums);
    first = false;
  }
  for (int block = 0; block < k_blocks; ++block, state.advance()) {
    ptx::mbarrier_wait(shared.full(state.stage), state.phase);
    ptx::wgmma_fence();
    multiply_stage<P, Sign>(shared, state.stage, first_row, first && block == 0, sums);
    ptx::wgmma_commit();
    ptx::wgmma_wait<1>();
    if (drained >= 0 && (Reused < 2 || block + 1 < k_blocks)) {
      release_stage(shared, drained, rank, thread);
    }
    drained = state.stage;
  }
  issued();
  ptx::wgmma_wait<0>();
  if constexpr (Reused == 0) {
    if (!P.per_problem_shapes || k_blocks > 0) release_stage(shared, drained, rank, thread);
  }
}

}  // namespace tw
