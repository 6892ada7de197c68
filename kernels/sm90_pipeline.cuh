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

/// Loads k-blocks [begin, end) of one output tile; one thread. `rank` is the CTA's in the cluster.
template <TileParams P>
__device__ void load_tile(const SharedLayout<P>& shared, const ptx::TensorMap* a,
                          const ptx::TensorMap* b, TileCoord tile, int begin, int end,
                          unsigned rank, StageCursor<P>& cursor) {
  constexpr unsigned short kBothCtas = 3;
  constexpr int kRowBytes = P.cta_k * TileParams::kElementBytes;
  const int row = tile.m * P.cta_m;
  const int column = tile.n * P.cta_n;
  for (int block = begin; block < end; ++block, cursor.advance()) {
    const int s = cursor.stage;
    const int k = block * P.cta_k;
    ptx::mbarrier_wait(shared.empty(s), cursor.phase ^ 1);
    ptx::mbarrier_arrive_expect(shared.full(s), P.stage_bytes());
    if constexpr (P.cluster_n == 2) {
      constexpr int kShare = P.cta_m / 2;
      const int first = static_cast<int>(rank) * kShare;
      ptx::tma_load_multicast(shared.a_tile(s) + first * kRowBytes, a, k, row + first,
                              shared.full(s), kBothCtas);
    } else {
      ptx::tma_load(shared.a_tile(s), a, k, row, shared.full(s));
    }
    if constexpr (P.cluster_m == 2) {
      constexpr int kShare = P.cta_n / 2;
      const int first = static_cast<int>(rank) * kShare;
      ptx::tma_load_multicast(shared.b_tile(s) + first * kRowBytes, b, k, column + first,
                              shared.full(s), kBothCtas);
    } else {
      ptx::tma_load(shared.b_tile(s), b, k, column, shared.full(s));
    }
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

}  // namespace tw
