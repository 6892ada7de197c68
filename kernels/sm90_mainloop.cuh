// The consumers' main loop: accumulators += A B over the k-blocks of one tile.
#pragma once

#include "ptx/wgmma.cuh"
#include "sm90_pipeline.cuh"

namespace tw {

template <TileParams P>
using Accumulators = float[P.mma_rows()][P.cta_n / 2];

/// Multiplies one stage: 4 wgmma of depth 16 for each of the warpgroup's row blocks. A row of the
/// tile is one 128-byte swizzle span, so a step along k adds 32 bytes to the descriptors.
template <TileParams P>
__device__ void multiply_stage(const SharedLayout<P>& shared, int stage, int first_row, bool first,
                               Accumulators<P>& sums) {
  constexpr int kMmaK = 16;
  constexpr int kRowBytes = P.cta_k * TileParams::kElementBytes;
  constexpr int kStepUnits = kMmaK * TileParams::kElementBytes / 16;  // descriptors count 16 bytes
  constexpr int kBlockUnits = TileParams::kMmaM * kRowBytes / 16;
  const unsigned long long a = ptx::wgmma_descriptor(shared.a_tile(stage) + first_row * kRowBytes);
  const unsigned long long b = ptx::wgmma_descriptor(shared.b_tile(stage));
#pragma unroll
  for (int step = 0; step < P.cta_k / kMmaK; ++step) {
#pragma unroll
    for (int block = 0; block < P.mma_rows(); ++block) {
      ptx::Wgmma<P.cta_n>::template multiply<P.element>(
          sums[block], a + block * kBlockUnits + step * kStepUnits, b + step * kStepUnits,
          first && step == 0 ? 0 : 1);
    }
  }
}

/// Accumulates the warpgroup's rows of one tile, from `first_row` of the tile on; one group of
/// wgmmas stays in flight, so a stage is released one block late.
template <TileParams P>
__device__ void multiply_tile(const SharedLayout<P>& shared, int first_row, int thread,
                              int k_blocks, StageCursor<P>& cursor, Accumulators<P>& sums) {
  int drained = -1;
  for (int block = 0; block < k_blocks; ++block, cursor.advance()) {
    ptx::mbarrier_wait(shared.full(cursor.stage), cursor.phase);
    ptx::wgmma_fence();
    multiply_stage<P>(shared, cursor.stage, first_row, block == 0, sums);
    ptx::wgmma_commit();
    ptx::wgmma_wait<1>();
    if (drained >= 0) release_stage(shared, drained, thread);
    drained = cursor.stage;
  }
  ptx::wgmma_wait<0>();
  release_stage(shared, drained, thread);
}

}  // namespace tw
