// The consumers' main loop for 8-bit operands whose sums are promoted: the tensor cores sum each
// k-block from zero, and fp32 additions in registers join the k-blocks, each times its scales.
#pragma once

#include "ptx/compiler.cuh"
#include "sm90/group_units.cuh"
#include "sm90/operand_scales.cuh"
#include "sm90/triangle_tile.cuh"

namespace tw {

/// The last argument, by kind of kernel: the operands of a triangle's phases, 8-bit operands'
/// scales, or the memory of other GPUs.
template <bool kTriangular, bool kScaled, bool kAcrossGpus>
struct TrailingArgs : PhaseMaps<kTriangular> {};
template <bool kTriangular>
struct TrailingArgs<kTriangular, true, false> : PhaseMaps<kTriangular> {
  OperandScales scales;
};
template <>
struct TrailingArgs<false, false, true> : PhaseMaps<false> {
  ptx::TensorMap gathered[2];  // of an all-gather: all rows of A, for launches in turn
  PeerArgs peers;
};
template <Sm90Params P>
using Trailing = TrailingArgs<P.triangular(), P.scales_k_blocks(), P.across_gpus()>;

/// The scales that come with the stages of a tile at `place`, from k-block `k_begin` on.
template <Sm90Params P>
__device__ TileScales<P> tile_scales(const Trailing<P>& trailing, const ScalePlace& place,
                                     int k_begin) {
  if constexpr (P.stages_scales()) {
    return {trailing.scales, place, k_begin};
  } else {
    return {};
  }
}

/// For promotion without scales.
template <Sm90Params P>
struct NoScales {
  __device__ void advance(unsigned, unsigned, bool) {}
  __device__ int pending() const { return 0; }
  __device__ void promote(int, const WgmmaSums<P>& part, WgmmaSums<P>& sums) const {
#pragma unroll
    for (int j = 0; j < P.mma_n() / 2; ++j) sums[j] += part[j];
  }
};

/// The operands of a warpgroup's rows in any stage.
template <Sm90Params P, bool kFromLane = P.scales_k_blocks()>
class TileOperands {
 public:
  __device__ TileOperands(const SharedLayout<P>& shared, int first_row)
      : shared_(shared), first_row_(first_row) {}

  __device__ StageOperands<P> in_stage(int stage) const { return {shared_, stage, first_row_}; }

 private:
  const SharedLayout<P>& shared_;
  int first_row_;
};

/// With scales, ptxas knows that the descriptors are the same in all lanes of a warp, because they
/// come from one lane, and that only their lower words change: so wgmmas follow each other without
/// instructions between them.
template <Sm90Params P>
class TileOperands<P, true> {
  using Traits = StageOperands<P>;

 public:
  class InStage {
   public:
    __device__ InStage(unsigned a, unsigned b) : a_(a), b_(b) {}

    /// StageOperands::multiply().
    template <int Sign>
    __device__ void multiply(int i, int step, bool first, WgmmaSums<P>& sums) const {
      const int block = i / P.mma_tiles_n();
      const int tile_n = i % P.mma_tiles_n();
      ptx::Wgmma<P.mma_n()>::template multiply<P.element, P.a_mn_major, P.b_mn_major, Sign>(
          sums, whole(a_ + block * Traits::kBlockUnits + step * Traits::kStepA),
          whole(b_ + tile_n * Traits::kTileUnits + step * Traits::kStepB), first ? 0 : 1);
    }

   private:
    __device__ static unsigned long long whole(unsigned low) {
      constexpr unsigned long long kUpper = 0xFFFFFFFF00000000;
      return (ptx::wgmma_descriptor<Traits::kSlabBytes>(0) & kUpper) | low;
    }

    unsigned a_;
    unsigned b_;
  };

  __device__ TileOperands(const SharedLayout<P>& shared, int first_row) {
    const StageOperands<P> first(shared, 0, first_row);
    a_ = ptx::from_lane(static_cast<unsigned>(first.a()), 0);
    b_ = ptx::from_lane(static_cast<unsigned>(first.b()), 0);
  }

  __device__ InStage in_stage(int stage) const {
    constexpr int kUnits = P.stage_bytes() / 16;
    return {a_ + stage * kUnits, b_ + stage * kUnits};
  }

 private:
  unsigned a_;
  unsigned b_;
};

/// The scales of the k-block in the current stage.
template <Sm90Params P, class Scales>
__device__ void take_scales(const SharedLayout<P>& shared, const PipelineState<P>& state, bool more,
                            Scales& scales) {
  if constexpr (P.scales_k_blocks()) {
    scales.advance(shared.a_scales(state.stage), shared.b_scales(state.stage), more);
  }
}

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
  const TileOperands<P> tile(shared, first_row);
#pragma unroll 1
  for (int block = 0; block < k_blocks; ++block, state.advance()) {
    ptx::mbarrier_wait(shared.full(state.stage), state.phase);
    const auto operands = tile.in_stage(state.stage);
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
        take_scales(shared, state, block + 1 < k_blocks, scales);
      }
      ptx::wgmma_wait<0>();
      if (last && block + P.stages_reused < k_blocks) {
        release_stage(shared, state.stage, rank, thread, scales.pending());
      }
      scales.promote(i, part, sums[i]);
    }
  }
  // A problem without k-blocks issues nothing.
  if (P.per_problem_shapes && k_blocks == 0) issued();
}

/// True where a thread has registers for the sums of two k-blocks of a wgmma, so that one is added
/// while the other is computed. Where wgmmas are in flight, branches would serialise them;
/// exchanged scales of columns take too many registers.
constexpr bool overlaps_promotion(const Sm90Params& p) {
  constexpr int kBesideSums = 40;
  constexpr int kMaxColumns = 32;  // with scales of their own
  if (!p.scales_k_blocks() || p.mma_rows() * p.mma_tiles_n() > 1) return false;
  if (p.scales_b == ScaleForm::Block ? p.column_blocks() > 1 : p.cta_n > kMaxColumns) return false;
  const bool plain = !p.grouped() && p.division == Division::None && !p.ping_pong();
  const int held = p.accumulator_registers() + p.mma_n() / 2 + p.promotion_registers();
  return held + (plain ? kBesideSums : 2 * kBesideSums) <= p.consumer_registers();
}

/// multiply_promoted() with the next k-block's wgmmas in flight while a k-block's sums are added.
template <Sm90Params P, class Scales, class Issued>
class OverlappedTile {
 public:
  __device__ OverlappedTile(const SharedLayout<P>& shared, int first_row, unsigned rank, int thread,
                            int k_blocks, Scales& scales, PipelineState<P>& state,
                            Accumulators<P>& sums, const Issued& issued)
      : shared_(shared),
        tile_(shared, first_row),
        rank_(rank),
        thread_(thread),
        left_(k_blocks),
        scales_(scales),
        state_(state),
        next_(state),
        sums_(sums),
        issued_(issued) {}

  __device__ void multiply() {
    clear<P>(sums_);
    multiply_together<8>();
    multiply_together<4>();
    WgmmaSums<P> part;
#pragma unroll 1
    while (left_ > 0) {
      issue(part);
      if (left_ == 1) issued_();
      add<0>(part);
    }
  }

 private:
  /// Multiplies all k-blocks but the last few, which take turns: ptxas allows no wgmma in flight
  /// from one turn of a loop to the next one.
  template <int Blocks>
  __device__ void multiply_together() {
    constexpr int kKept = P.ping_pong() ? 1 : 0;  // the last one is not issued here
#pragma unroll 1
    while (left_ >= Blocks + kKept) {
      WgmmaSums<P> even;
      WgmmaSums<P> odd;
      issue(even);
#pragma unroll
      for (int pair = 1; pair < Blocks / 2; ++pair) {
        issue(odd);
        add<1>(even);
        issue(even);
        add<1>(odd);
      }
      issue(odd);
      add<1>(even);
      add<0>(odd);
    }
  }

  /// Begins the next k-block.
  __device__ void issue(WgmmaSums<P>& part) {
    ptx::mbarrier_wait(shared_.full(next_.stage), next_.phase);
    const auto operands = tile_.in_stage(next_.stage);
    ptx::wgmma_fence();
#pragma unroll
    for (int step = 0; step < stage_steps(P); ++step) {
      operands.template multiply<1>(0, step, step == 0, part);
    }
    ptx::wgmma_commit();
    next_.advance();
  }

  /// Adds the oldest k-block, after which `Flying` others were begun.
  template <int Flying>
  __device__ void add(WgmmaSums<P>& part) {
    take_scales(shared_, state_, left_ > 1, scales_);
    ptx::wgmma_wait<Flying>();
    // ptxas would read the sums before they are there.
#pragma unroll
    for (float& sum : part) ptx::compute_now(sum);
    if (left_ > P.stages_reused) {
      release_stage(shared_, state_.stage, rank_, thread_, scales_.pending());
    }
    scales_.promote(0, part, sums_[0]);
    state_.advance();
    --left_;
  }

  const SharedLayout<P>& shared_;
  const TileOperands<P> tile_;
  unsigned rank_;
  int thread_;
  int left_;  // k-blocks to add
  Scales& scales_;
  PipelineState<P>& state_;  // of the next k-block to add
  PipelineState<P> next_;    // to begin
  Accumulators<P>& sums_;
  const Issued& issued_;
};

/// Where the rows of a unit lie in the operands' scales, from `rows_before` of its tile on.
template <Sm90Params P, class Units>
__device__ ScalePlace scale_place(const Units& units, int rows_before) {
  const TileCoord tile = units.tile();
  const GemmArgs& own = units.output();
  ScalePlace place{.row = tile.m * P.cta_m + rows_before,
                   .column = tile.n * P.cta_n,
                   .rows = own.m,
                   .columns = own.n};
  if constexpr (P.packed_rows()) {
    place.problem = units.unit().problem;
    place.line_before = units.rows().begin;
  }
  return place;
}

/// Sums the products of a unit, scaled where the k-blocks have scales.
template <Sm90Params P, class Issued>
__device__ void multiply_unit(const SharedLayout<P>& shared, const Trailing<P>& trailing,
                              const CtaUnits<P>& units, int rows_before, unsigned rank, int thread,
                              PipelineState<P>& state, Accumulators<P>& sums,
                              const Issued& issued) {
  const int k_blocks = units.unit().k.size();
  if constexpr (P.scales_k_blocks()) {
    UnitScales<P> scales(trailing.scales, scale_place<P>(units, rows_before), rows_before,
                         units.unit().k, thread);
    if constexpr (overlaps_promotion(P)) {
      SharedLayout<P> own = shared;
      ptx::compiler_barrier(own.base);
      OverlappedTile<P, UnitScales<P>, Issued>(own, rows_before, rank, thread, k_blocks, scales,
                                               state, sums, issued)
          .multiply();
    } else {
      multiply_promoted<P>(shared, rows_before, rank, thread, k_blocks, scales, state, sums,
                           issued);
    }
  } else if constexpr (P.promoted) {
    NoScales<P> none;
    multiply_promoted<P>(shared, rows_before, rank, thread, k_blocks, none, state, sums, issued);
  } else {
    multiply_tile<P>(shared, rows_before, rank, thread, k_blocks, state, sums, issued);
  }
}

}  // namespace tw
