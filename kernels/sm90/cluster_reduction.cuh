// Reduction of a tile by one cluster along k: every CTA sums and stores a share of the tile's
// columns. The other CTAs write their accumulators of that share straight into its shared memory,
// over the stages, once every CTA has drained them.
//
//   all: drained ---> each writes the shares of the others ---> delivered ---> sum, store own share
#pragma once

#include "ptx/cluster.cuh"
#include "ptx/cluster_memory.cuh"
#include "ptx/shared_access.cuh"
#include "sm90/epilogue.cuh"
#include "sm90/reduction.cuh"

namespace tw {

/// Shared memory and barriers of the exchange, beside the pipeline's.
template <Sm90Params P>
struct ExchangeBarriers {
  SharedLayout<P> shared;

  __device__ unsigned drained() const { return shared.empty(P.stages); }
  __device__ unsigned delivered(int warpgroup) const { return drained() + 8 * (1 + warpgroup); }
  __device__ unsigned summed() const { return delivered(P.consumer_warpgroups()); }
  /// Chunk 0 of the delivery from the CTA with index `other` among the others, to a warpgroup.
  __device__ unsigned delivery(int other, int warpgroup) const {
    constexpr int kBytes = P.warpgroup_rows() * P.share_columns() * 4;
    return shared.base + (other * P.consumer_warpgroups() + warpgroup) * kBytes;
  }
};

template <Sm90Params P>
__device__ void init_exchange(const ExchangeBarriers<P>& exchange) {
  ptx::mbarrier_init(exchange.drained(), P.cluster_k * P.consumer_warpgroups());
  for (int w = 0; w < P.consumer_warpgroups(); ++w) {
    ptx::mbarrier_init(exchange.delivered(w), P.cluster_k - 1);
  }
  ptx::mbarrier_init(exchange.summed(), P.consumer_warpgroups());
}

/// For the loading thread: deliveries occupy the stages from the end of a unit's main loop until
/// the consumers have summed them.
template <Sm90Params P>
class StageLease {
 public:
  /// Returns once the previous unit, if there was one, is summed.
  __device__ void wait(const SharedLayout<P>& shared) {
    if (units_ > 0) {
      ptx::mbarrier_wait(ExchangeBarriers<P>{shared}.summed(),
                         static_cast<unsigned>(units_ - 1) & 1);
    }
    ++units_;
  }

 private:
  int units_ = 0;
};

/// Sums the warpgroup's rows of the CTA's share in a fixed order: its own first, then by rank.
template <Sm90Params P>
__device__ void sum_share(const ExchangeBarriers<P>& exchange, unsigned rank, int warpgroup,
                          int thread, Accumulators<P>& sums,
                          Accumulators<P.share_params()>& share) {
  constexpr int kColumns = P.share_columns();
#pragma unroll
  for (int q = 0; q < P.cluster_k; ++q) {
    if (q != static_cast<int>(rank)) continue;
#pragma unroll
    for (int block = 0; block < P.mma_rows(); ++block) {
#pragma unroll
      for (int i = 0; i < kColumns / 2; ++i) share[block][i] = sums[block][q * kColumns / 2 + i];
    }
  }
  for (int other = 0; other < P.cluster_k - 1; ++other) {
    const unsigned from = exchange.delivery(other, warpgroup) + thread * 16;
    for_each_chunk<P.share_params()>(share, [&](int chunk, float* four) {
      add_to(four, ptx::ld_shared_v4(from + chunk * Sm90Params::kWarpgroupThreads * 16));
    });
  }
}

/// Writes this CTA's accumulators of the other CTAs' shares into their shared memory.
template <Sm90Params P>
__device__ void send_partials(const ExchangeBarriers<P>& exchange, unsigned rank, int warpgroup,
                              int thread, const Accumulators<P>& sums) {
  constexpr int kChunks = P.share_columns() / 8;
#pragma unroll
  for (int q = 0; q < P.cluster_k; ++q) {
    if (q == static_cast<int>(rank)) continue;
    const int other = static_cast<int>(rank) - (static_cast<int>(rank) > q ? 1 : 0);
    const unsigned to = ptx::address_in(exchange.delivery(other, warpgroup), q) + thread * 16;
#pragma unroll
    for (int block = 0; block < P.mma_rows(); ++block) {
#pragma unroll
      for (int i = 0; i < kChunks; ++i) {
        ptx::store_in_cluster(to + (block * kChunks + i) * Sm90Params::kWarpgroupThreads * 16,
                              floats4(&sums[block][(q * kChunks + i) * 4]));
      }
    }
  }
}

/// Sums the parts of a tile and stores the CTA's share; `parity` flips with every unit.
template <Sm90Params P>
__device__ void fixup_cluster(const SharedLayout<P>& shared, const OutputMaps& maps,
                              const GemmArgs& args, TileCoord tile, unsigned rank, int warpgroup,
                              int thread, unsigned parity, Accumulators<P>& sums) {
  constexpr Sm90Params kShare = P.share_params();
  const ExchangeBarriers<P> exchange{shared};
  const int barrier = 1 + warpgroup;
  ptx::warpgroup_sync(barrier);  // all warps of the warpgroup are done with their last stage
  if (thread < P.cluster_k) ptx::mbarrier_release_remote(exchange.drained(), thread);
  ptx::mbarrier_acquire_cluster(exchange.drained(), parity);
  // Every thread has acquired already; racecheck recognises the order of two CTAs' accesses only
  // where the reading CTA executes a barrier of its own afterwards.
  ptx::warpgroup_sync(barrier);
  inject_delay<P>();
  send_partials<P>(exchange, rank, warpgroup, thread, sums);
  inject_delay<P>();
  ptx::warpgroup_sync(barrier);
  if (thread < P.cluster_k && thread != static_cast<int>(rank)) {
    ptx::mbarrier_release_remote(exchange.delivered(warpgroup), thread);
  }
  ptx::mbarrier_acquire_cluster(exchange.delivered(warpgroup), parity);
  ptx::warpgroup_sync(barrier);
  Accumulators<kShare> share;
  sum_share<P>(exchange, rank, warpgroup, thread, sums, share);
  // The producer may fill the stages again.
  ptx::fence_shared_for_async();
  ptx::warpgroup_sync(barrier);
  if (thread == 0) ptx::mbarrier_arrive(exchange.summed());
  const SharedLayout<kShare> own{shared.base + P.stages * (P.stage_bytes() - kShare.stage_bytes())};
  const int rows_before = warpgroup * P.warpgroup_rows();
  store_tile<kShare>(own, maps, args, tile.m * P.cta_m + rows_before,
                     tile.n * P.cta_n + static_cast<int>(rank) * P.share_columns(),
                     {warpgroup, thread, 0, rows_before, {}}, share);
}

}  // namespace tw
