// The shared-memory pipeline of the sm_90a family: stages that TMA fills and wgmma drains.
//
//   producer --full[s]--> consumers --empty[s]--> producer
//
// A cluster of two shares one operand: each CTA loads half of it for both, so a stage is free when
// the consumers of both CTAs have drained it.
#pragma once

#include "ptx/cluster.cuh"
#include "ptx/mbarrier.cuh"
#include "ptx/tma.cuh"
#include "tile_params.cuh"

namespace tw {

/// Shared-memory addresses of one CTA.
///   stages x (A tile | B tile) | store buffers | full barriers | empty barriers
template <TileParams P>
struct SharedLayout {
  unsigned base;  // 1024-byte aligned

  __device__ unsigned a_tile(int stage) const { return base + stage * P.stage_bytes(); }
  __device__ unsigned b_tile(int stage) const { return a_tile(stage) + P.a_stage_bytes(); }
  __device__ unsigned store_buffer(int warpgroup, int buffer) const {
    return base + P.stages * P.stage_bytes() +
           (warpgroup * TileParams::kStoreBuffers + buffer) * P.store_bytes();
  }
  __device__ unsigned full(int stage) const {
    return base + P.stages * P.stage_bytes() + P.epilogue_bytes() + stage * 8;
  }
  __device__ unsigned empty(int stage) const { return full(P.stages + stage); }
};

/// The stage in turn and the parity of its phase.
template <TileParams P>
struct StageCursor {
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

template <TileParams P>
__device__ void init_barriers(const SharedLayout<P>& shared) {
  for (int s = 0; s < P.stages; ++s) {
    ptx::mbarrier_init(shared.full(s), 1);
    ptx::mbarrier_init(shared.empty(s), P.warpgroups_per_tile() * P.cluster_size());
  }
  ptx::fence_mbarrier_init();
}

/// An operand of the cluster: `Lines` rows of A or columns of B a stage, of which each CTA of
/// `Sharers` loads one part for all of them.
template <TileParams P, int Lines, bool MnMajor, int Sharers>
__device__ void load_operand(const ptx::TensorMap* map, unsigned tile, int line, int k,
                             unsigned barrier, unsigned rank) {
  constexpr unsigned short kAll = (1 << Sharers) - 1;
  constexpr int kRowBytes = 128;
  const int share = Sharers == 1 ? 0 : static_cast<int>(rank);
  if constexpr (!MnMajor) {
    constexpr int kBoxes = TileParams::boxes(Lines / Sharers);
    constexpr int kBoxLines = Lines / Sharers / kBoxes;
#pragma unroll
    for (int box = 0; box < kBoxes; ++box) {
      const int first = share * (Lines / Sharers) + box * kBoxLines;
      ptx::tma_load_shared<(Sharers > 1)>(tile + first * kRowBytes, map, k, line + first, barrier,
                                          kAll);
    }
  } else {
    // Slabs of 64 lines, rows of which run along k; the parts are ranges of k.
    constexpr int kSlabs = TileParams::stage_lines(Lines, true) / TileParams::kSlabLines;
    const int first = share * (P.cta_k / Sharers);
#pragma unroll
    for (int slab = 0; slab < kSlabs; ++slab) {
      ptx::tma_load_shared<(Sharers > 1)>(tile + (slab * P.cta_k + first) * kRowBytes, map,
                                          line + slab * TileParams::kSlabLines, k + first, barrier,
                                          kAll);
    }
  }
}

/// Loads k-blocks [begin, end) of one output tile; one thread. `rank` is the CTA's in the cluster.
template <TileParams P>
__device__ void load_tile(const SharedLayout<P>& shared, const ptx::TensorMap* a,
                          const ptx::TensorMap* b, TileCoord tile, int begin, int end,
                          unsigned rank, StageCursor<P>& cursor) {
  const int row = tile.m * P.cta_m;
  const int column = tile.n * P.cta_n;
  for (int block = begin; block < end; ++block, cursor.advance()) {
    const int s = cursor.stage;
    const int k = block * P.cta_k;
    ptx::mbarrier_wait(shared.empty(s), cursor.phase ^ 1);
    ptx::mbarrier_arrive_expect(shared.full(s), P.stage_bytes());
    load_operand<P, P.cta_m, P.a_mn_major, P.cluster_n>(a, shared.a_tile(s), row, k, shared.full(s),
                                                        rank);
    load_operand<P, P.cta_n, P.b_mn_major, P.cluster_m>(b, shared.b_tile(s), column, k,
                                                        shared.full(s), rank);
  }
}

/// Tells the producers that fill this stage that the calling warpgroup is done with it.
template <TileParams P>
__device__ void release_stage(const SharedLayout<P>& shared, int stage, int thread) {
  if constexpr (P.cluster_size() == 1) {
    if (thread == 0) ptx::mbarrier_arrive(shared.empty(stage));
  } else {
    if (thread < P.cluster_size()) ptx::mbarrier_arrive_remote(shared.empty(stage), thread);
  }
}

/// The same by one thread alone, for all CTAs of the cluster.
template <TileParams P>
__device__ void release_stage_alone(const SharedLayout<P>& shared, int stage) {
  if constexpr (P.cluster_size() == 1) {
    ptx::mbarrier_arrive(shared.empty(stage));
  } else {
    for (int rank = 0; rank < P.cluster_size(); ++rank) {
      ptx::mbarrier_arrive_remote(shared.empty(stage), rank);
    }
  }
}

}  // namespace tw
