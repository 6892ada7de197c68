// The shared-memory pipeline of the sm_90a family: stages that TMA fills and wgmma drains.
//
//   producer --full[s]--> consumers --empty[s]--> producer
//
// The CTAs of a cluster share operands: those in one row share A, those in one column B. Each CTA
// loads a part for all of them, so a stage is free once the consumers of all have drained it. The
// first stages are an exception: a CTA fills them alone, before the cluster has synchronised.
#pragma once

#include "ptx/cluster.cuh"
#include "ptx/mbarrier.cuh"
#include "ptx/tma.cuh"
#include "sm90/group_units.cuh"
#include "sm90/params.cuh"
#include "sm90/staged_scales.cuh"
#include "sm90/units.cuh"

namespace tw {

/// Shared-memory addresses of one CTA:
///   stages x (A tile | B tile) | store buffers | full barriers | empty barriers | ...
///   | stages x (scales of A | scales of B)
template <Sm90Params P>
struct SharedLayout {
  unsigned base;  // 1024-byte aligned

  __device__ unsigned a_tile(int stage) const { return base + stage * P.stage_bytes(); }
  __device__ unsigned b_tile(int stage) const { return a_tile(stage) + P.a_stage_bytes(); }
  __device__ unsigned store_buffer(int warpgroup, int buffer) const {
    return base + P.stages * P.stage_bytes() +
           (warpgroup * Sm90Params::kStoreBuffers + buffer) * P.store_bytes();
  }
  __device__ unsigned full(int stage) const {
    return base + P.stages * P.stage_bytes() + P.epilogue_bytes() + stage * 8;
  }
  __device__ unsigned empty(int stage) const { return full(P.stages + stage); }
  /// With Sm90Params::stages_scales().
  __device__ unsigned a_scales(int stage) const {
    return full(0) + Sm90Params::round_up_16(P.barrier_bytes()) + stage * P.scale_bytes();
  }
  __device__ unsigned b_scales(int stage) const { return a_scales(stage) + P.a_scale_bytes(); }
  /// With Grouping::Counter: full barriers, empty barriers, units.
  __device__ unsigned work_queue() const { return full(2 * P.stages); }
};

/// The current stage and the parity of its phase.
template <Sm90Params P>
struct PipelineState {
  int stage = 0;
  unsigned phase = 0;

  __device__ void advance() {
    if (++stage == P.stages) {
      stage = 0;
      phase ^= 1;
    }
  }

  /// Passes over `count` stages that another warpgroup drains.
  __device__ void skip(int count) {
    const int target = stage + count;
    phase ^= target / P.stages & 1;
    stage = target % P.stages;
  }
};

/// Warps of a warpgroup that signal that they have read a stage. One is enough where other wgmmas
/// of the warpgroup follow: they begin together. A warp that waits for the newest wgmmas does not
/// know whether those of the other warps are complete, nor whether these have read the scales.
template <Sm90Params P>
inline constexpr int kReadingWarps = P.promoted ? Sm90Params::kWarpgroupThreads / 32 : 1;

/// Initialises the full barriers of stages [begin, end); one thread calls it.
template <Sm90Params P>
__device__ void init_full_barriers(const SharedLayout<P>& shared, int begin, int end) {
  for (int s = begin; s < end; ++s) ptx::mbarrier_init(shared.full(s), 1);
  ptx::fence_mbarrier_init();
}

/// Initialises the empty barriers of all stages; one thread calls it.
template <Sm90Params P>
__device__ void init_empty_barriers(const SharedLayout<P>& shared) {
  for (int s = 0; s < P.stages; ++s) {
    ptx::mbarrier_init(shared.empty(s), P.warpgroups_per_tile() * P.sharers() * kReadingWarps<P>);
  }
}

/// How the CTAs of a cluster load the operands that they share.
enum class Loading {
  Together,  // each CTA loads one part, for all of them
  Alone,     // each CTA loads all parts for itself, before the cluster has synchronised
};

/// Compile-time properties of an operand's loads: `lines` rows of A or columns of B per stage, in
/// one part for each CTA that shares them.
struct OperandTraits {
  int lines;
  bool mn_major;
  int parts;
  bool evict_first;
  bool stacked;  // K-major lines in turn from either half of the operand
};

constexpr OperandTraits operand_a(const Sm90Params& p) {
  return {p.cta_m, p.a_mn_major, p.cluster_n, p.evict_first_a, p.stacked_a()};
}

constexpr OperandTraits operand_b(const Sm90Params& p) {
  return {p.cta_n, p.b_mn_major, p.cluster_m, p.evict_first_b, p.stacked_b()};
}

/// Destination and source of one stage of an operand.
struct OperandStage {
  const ptx::TensorMap* map;
  unsigned tile;     // shared-memory address
  unsigned barrier;  // counts the bytes that arrive
  int line;          // first, of the operand
  int k;             // first
};

/// Loads one box of an operand to `shared` of this CTA, or of the CTAs in `mask`.
template <OperandTraits O, Loading How>
__device__ void load_box(const OperandStage& stage, unsigned shared, int x, int y,
                         unsigned short mask) {
  if constexpr (O.stacked) {
    // The map's dimensions: k, the halves, lines of a half. The box takes a line of each in turn.
    if constexpr (O.parts > 1 && How == Loading::Together) {
      ptx::tma_load_multicast<O.evict_first>(shared, stage.map, x, 0, y / 2, stage.barrier, mask);
    } else {
      ptx::tma_load<O.evict_first>(shared, stage.map, x, 0, y / 2, stage.barrier);
    }
  } else if constexpr (O.parts > 1 && How == Loading::Together) {
    ptx::tma_load_multicast<O.evict_first>(shared, stage.map, x, y, stage.barrier, mask);
  } else {
    ptx::tma_load<O.evict_first>(shared, stage.map, x, y, stage.barrier);
  }
}

/// Loads part `part` of an operand's stage to this CTA, or to the CTAs in `mask`.
template <OperandTraits O, int StageK, Loading How>
__device__ void load_part(const OperandStage& stage, int part, unsigned short mask) {
  constexpr int kRowBytes = 128;
  if constexpr (!O.mn_major) {
    constexpr int kBoxes = Sm90Params::boxes(O.lines / O.parts);
    constexpr int kBoxLines = O.lines / O.parts / kBoxes;
#pragma unroll
    for (int box = 0; box < kBoxes; ++box) {
      const int first = part * (O.lines / O.parts) + box * kBoxLines;
      load_box<O, How>(stage, stage.tile + first * kRowBytes, stage.k, stage.line + first, mask);
    }
  } else {
    // Slabs of 64 lines; the rows of a slab run along k, and the parts are ranges of k.
    constexpr int kSlabs = Sm90Params::stage_lines(O.lines, true) / Sm90Params::kSlabLines;
    const int first = part * (StageK / O.parts);
#pragma unroll
    for (int slab = 0; slab < kSlabs; ++slab) {
      load_box<O, How>(stage, stage.tile + (slab * StageK + first) * kRowBytes,
                       stage.line + slab * Sm90Params::kSlabLines, stage.k + first, mask);
    }
  }
}

/// Loads a CTA's part of an operand's stage for all that share it, or all parts for itself.
template <OperandTraits O, int StageK, Loading How>
__device__ void load_operand(const OperandStage& stage, int own_part, unsigned short sharers) {
  if constexpr (O.parts == 1 || How == Loading::Alone) {
#pragma unroll
    for (int part = 0; part < O.parts; ++part) load_part<O, StageK, How>(stage, part, sharers);
  } else {
    load_part<O, StageK, How>(stage, own_part, sharers);
  }
}

/// One bit for each CTA of the cluster in the same row, which needs the same A.
template <Sm90Params P>
__device__ unsigned short row_mask(TileCoord cta) {
  unsigned mask = 0;
  for (int n = 0; n < P.cluster_n; ++n) mask |= 1U << n * P.cluster_m;
  return static_cast<unsigned short>(mask << cta.m);
}

/// The same for the CTAs in the same column, and B.
template <Sm90Params P>
__device__ unsigned short column_mask(TileCoord cta) {
  constexpr unsigned kColumn = (1U << P.cluster_m) - 1;
  return static_cast<unsigned short>(kColumn << cta.n * P.cluster_m);
}

/// True where all lanes of the loading warp go through the stages together, and one of them copies.
template <Sm90Params P>
inline constexpr bool kAllLanesLoad = P.grouped() && P.scales_k_blocks();

/// Loads k-blocks [begin, end) of one output tile; called by one thread, or kAllLanesLoad. `rank`
/// is the CTA's in the cluster. Each CTA loads the scales of its tile alone.
template <Sm90Params P, Loading How>
__device__ void load_tile(const SharedLayout<P>& shared, const ptx::TensorMap* a,
                          const ptx::TensorMap* b, LinesBefore before, TileCoord tile, int begin,
                          int end, unsigned rank, PipelineState<P>& state, TileScales<P>& scales) {
  const int row = before.a + tile.m * P.cta_m;
  const int column = before.b + tile.n * P.cta_n;
  const TileCoord cta = P.cta_in_cluster(static_cast<int>(rank));
  for (int block = begin; block < end; ++block, state.advance()) {
    const int s = state.stage;
    const int k = block * P.cta_k;
    if constexpr (How == Loading::Together) ptx::mbarrier_wait(shared.empty(s), state.phase ^ 1);
    if (kAllLanesLoad<P> && !ptx::is_elected()) {
      scales.skip();
      continue;
    }
    ptx::mbarrier_arrive_expect(shared.full(s), P.stage_bytes() + scales.bytes());
    scales.load(shared.a_scales(s), shared.b_scales(s), shared.full(s));
    load_operand<operand_a(P), P.cta_k, How>({a, shared.a_tile(s), shared.full(s), row, k}, cta.n,
                                             row_mask<P>(cta));
    load_operand<operand_b(P), P.cta_k, How>({b, shared.b_tile(s), shared.full(s), column, k},
                                             cta.m, column_mask<P>(cta));
  }
}

/// The same with scales, k-block by k-block: a loop that ptxas unrolls holds more registers than
/// the loading warps keep.
template <Sm90Params P, Loading How>
__device__ void load_scaled_tile(const SharedLayout<P>& shared, const ptx::TensorMap* a,
                                 const ptx::TensorMap* b, LinesBefore before, TileCoord tile,
                                 int begin, int end, unsigned rank, PipelineState<P>& state,
                                 TileScales<P> scales) {
  if constexpr (P.stages_scales()) {
#pragma unroll 1
    for (int block = begin; block < end; ++block) {
      load_tile<P, How>(shared, a, b, before, tile, block, block + 1, rank, state, scales);
    }
  } else {
    load_tile<P, How>(shared, a, b, before, tile, begin, end, rank, state, scales);
  }
}

/// Loads all phases of all planes of a unit, except the first `loaded` k-blocks.
template <Sm90Params P>
__device__ void load_phases(const SharedLayout<P>& shared, const PhaseMaps<true>& maps,
                            TileCoord tile, int loaded, int steps, unsigned rank,
                            PipelineState<P>& state) {
  TileScales<P> none;
  for (int plane = 0; plane < P.planes(); ++plane) {
    for (int phase = 0; phase < P.phases(); ++phase) {
      const int left = phase_factors(P.op, plane, phase).left;
      load_tile<P, Loading::Together>(shared, &maps.left[left], &maps.right[phase], {}, tile,
                                      loaded, steps, rank, state, none);
      loaded = 0;
    }
  }
}

/// Returns once all stages that were filled are free again.
template <Sm90Params P>
__device__ void drain(const SharedLayout<P>& shared, PipelineState<P> state) {
  for (int i = 0; i < P.stages; ++i, state.advance()) {
    ptx::mbarrier_wait(shared.empty(state.stage), state.phase ^ 1);
  }
}

/// Signals the producers that fill this stage that the calling warpgroup, or warp where
/// kReadingWarps is 4, has read it. `pending`: 0, known once the stage's scales are in registers.
/// Loads and arrivals wait in different queues, so the thread that arrives is found by it.
template <Sm90Params P>
__device__ void release_stage(const SharedLayout<P>& shared, int stage, unsigned rank, int thread,
                              int pending = 0) {
  const int reader = (kReadingWarps<P> > 1 ? thread % 32 : thread) | pending;
  if constexpr (P.cluster_size() == 1) {
    if (reader == 0) ptx::mbarrier_arrive(shared.empty(stage));
  } else {
    if (reader < P.cluster_size() && P.share_loads(static_cast<int>(rank), reader)) {
      ptx::mbarrier_arrive_remote(shared.empty(stage), reader);
    }
  }
}

/// The same as release_stage(), by one thread alone, for all warps.
template <Sm90Params P>
__device__ void release_stage_alone(const SharedLayout<P>& shared, int stage, unsigned rank) {
  for (int other = 0; other < P.cluster_size(); ++other) {
    for (int warp = 0; warp < kReadingWarps<P>; ++warp) {
      if (P.cluster_size() == 1) {
        ptx::mbarrier_arrive(shared.empty(stage));
      } else if (P.share_loads(static_cast<int>(rank), other)) {
        ptx::mbarrier_arrive_remote(shared.empty(stage), other);
      }
    }
  }
}

}  // namespace tw
