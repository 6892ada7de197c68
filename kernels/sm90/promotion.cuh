// The consumers' main loop for 8-bit operands whose sums are promoted: the tensor cores sum each
// k-block from zero, and fp32 additions in registers join the k-blocks, each times its scales.
#pragma once

#include "ptx/compiler.cuh"
#include "sm90/group_units.cuh"
#include "sm90/operand_scales.cuh"
#include "sm90/triangle_tile.cuh"

namespace tw {

/// The last argument, by kind of kernel: the operands of a triangle's phases, or 8-bit operands'
/// scales.
template <bool kTriangular, bool kScaled>
struct TrailingArgs : PhaseMaps<kTriangular> {};
template <bool kTriangular>
struct TrailingArgs<kTriangular, true> : PhaseMaps<kTriangular> {
  OperandScales scales;
};

/// For promotion without scales.
template <Sm90Params P>
struct NoScales {
  __device__ void advance(bool) {}
  __device__ void promote(int, const WgmmaSums<P>& part, WgmmaSums<P>& sums) const {
#pragma unroll
    for (int j = 0; j < P.mma_n() / 2; ++j) sums[j] += part[j];
  }
};

/// Accumulates the warpgroup's rows of one tile as multiply_tile() does, but sums each k-block from
/// zero and adds it in fp32, times its scales: one wgmma's sums after the other's, so that a thread
/// holds those of only one beside the tile's. Between its wgmmas another warpgroup's fill the
/// tensor cores; what does not need the sums is done while they are computed.
template <Sm90Params P, class Scales, class Issued>
__device__ void multiply_promoted(SharedLayout<P> shared, int first_row, unsigned rank, int thread,
                                  int k_blocks, Scales& scales, PipelineState<P>& state,
                                  Accumulators<P>& sums, const Issued& issued) {
  constexpr int kParts = P.mma_rows() * P.mma_tiles_n();
  // ptxas would compute the address again for every k-block.
  ptx::compiler_barrier(shared.base);
  clear<P>(sums);
#pragma unroll 1
  for (int block = 0; block < k_blocks; ++block, state.advance()) {
    ptx::mbarrier_wait(shared.full(state.stage), state.phase);
    const StageOperands<P> operands(shared, state.stage, first_row);
#pragma unroll
    for (int i = 0; i < kParts; ++i) {
      const bool last = i + 1 == kParts;
      WgmmaSums<P> part;
      ptx::wgmma_fence();
#pragma unroll
      for (int step = 0; step < stage_steps(P); ++step) {
        operands.template multiply<1>(i, step, step == 0, part);
      }
      ptx::wgmma_commit();
      if (last && block + 1 == k_blocks) issued();
      if (i == 0 && P.scales_k_blocks()) {
        // ptxas moves nothing back over a wait: without this one, which returns at once, it would
        // await the scales before the wgmmas.
        ptx::mbarrier_wait(shared.full(state.stage), state.phase);
        scales.advance(block + 1 < k_blocks);
      }
      ptx::wgmma_wait<0>();
      if (last && block + P.stages_reused < k_blocks) {
        release_stage(shared, state.stage, rank, thread);
      }
      scales.promote(i, part, sums[i]);
    }
  }
  // A problem without k-blocks issues nothing.
  if (P.per_problem_shapes && k_blocks == 0) issued();
}

/// Where the warpgroup's rows of a unit lie in the operands' scales.
template <Sm90Params P>
__device__ ScalePlace scale_place(const CtaUnits<P>& units, int rows_before) {
  const TileCoord tile = units.tile();
  const GemmArgs& own = units.output();
  ScalePlace place{.row = tile.m * P.cta_m + rows_before,
                   .column = tile.n * P.cta_n,
                   .rows = own.m,
                   .columns = own.n,
                   .k_block = units.unit().k.begin};
  if constexpr (P.packed_rows()) {
    place.problem = units.unit().problem;
    place.line_before = units.rows().begin;
  }
  return place;
}

/// Sums the products of a unit, scaled where the k-blocks have scales.
template <Sm90Params P, class Issued>
__device__ void multiply_unit(const SharedLayout<P>& shared,
                              const TrailingArgs<P.triangular(), P.scales_k_blocks()>& trailing,
                              const CtaUnits<P>& units, int rows_before, unsigned rank, int thread,
                              PipelineState<P>& state, Accumulators<P>& sums,
                              const Issued& issued) {
  const int k_blocks = units.unit().k.size();
  if constexpr (P.scales_k_blocks()) {
    UnitScales<P> scales(trailing.scales, scale_place<P>(units, rows_before), thread);
    multiply_promoted<P>(shared, rows_before, rank, thread, k_blocks, scales, state, sums, issued);
  } else if constexpr (P.promoted) {
    NoScales<P> none;
    multiply_promoted<P>(shared, rows_before, rank, thread, k_blocks, none, state, sums, issued);
  } else {
    multiply_tile<P>(shared, rows_before, rank, thread, k_blocks, state, sums, issued);
  }
}

}  // namespace tw
