// The sm_90a family: persistent, warp-specialised D = alpha * A B + beta * C + bias.
//
//   warpgroup 0          loads: one thread, TMA into the pipeline's stages
//   warpgroups 1..       multiply: wgmma, each its own rows of the CTA tile, then store
//
// Clusters walk the raster: slot, slot + clusters, ... ; both roles take their tiles from tile_map.
// Compiled by NVRTC, specialised on kParams.

#include "config.cuh"  // written by the host: inline constexpr tw::TileParams kParams
#include "gemm_args.cuh"
#include "sm90_epilogue.cuh"

namespace tw {

/// Named barriers: 1 to 3 are the stores' of each warpgroup, these two the turns of ping-pong.
inline constexpr int kFirstTurn = 4;

/// The CTA's place in the launch.
struct Placement {
  int cluster;
  int cluster_count;
  unsigned rank;
};

template <TileParams P>
__device__ Placement placement() {
  return {static_cast<int>(blockIdx.x) / P.cluster_size(),
          static_cast<int>(gridDim.x) / P.cluster_size(),
          P.cluster_size() == 1 ? 0 : ptx::cluster_rank()};
}

/// The CTA's own tile of the cluster's tile.
template <TileParams P>
__device__ TileCoord own_tile(TileCoord cluster_tile, unsigned rank) {
  const int r = static_cast<int>(rank);
  return {cluster_tile.m * P.cluster_m + (P.cluster_m == 2 ? r : 0),
          cluster_tile.n * P.cluster_n + (P.cluster_n == 2 ? r : 0)};
}

__device__ inline unsigned long long trace_time(bool traced) {
  return traced ? ptx::global_time_ns() : 0;
}

template <TileParams P>
__device__ void record(const GemmArgs& args, const Placement& place, int slot, TileCoord tile,
                       unsigned long long start_ns) {
  TraceRecord& r = args.trace[slot * P.cluster_size() + static_cast<int>(place.rank)];
  r.cta = static_cast<int>(blockIdx.x);
  r.sm = static_cast<int>(ptx::multiprocessor());
  r.slot = slot;
  r.m = tile.m;
  r.n = tile.n;
  r.inside = tile.m * static_cast<long long>(P.cta_m) < args.m &&
             tile.n * static_cast<long long>(P.cta_n) < args.n;
  r.start_ns = start_ns;
  r.end_ns = ptx::global_time_ns();
}

/// The loading thread's progress: it begins before the other threads have met.
template <TileParams P>
struct Loader {
  StageCursor<P> cursor;
  int loaded = 0;  // k-blocks of the CTA's first tile
};

/// Fills the pipeline with the first tile's k-blocks, without waiting for anybody.
template <TileParams P>
__device__ void preload(const SharedLayout<P>& shared, const ptx::TensorMap* a,
                        const ptx::TensorMap* b, const GemmArgs& args, int k_blocks,
                        Loader<P>& loader) {
  const Placement place = placement<P>();
  for (int slot = place.cluster; slot < args.slots; slot += place.cluster_count) {
    const TileCoord tile = family_tile_at<P.rasters>(args.raster, args.clusters, slot);
    if (!is_inside(args.clusters, tile)) continue;
    loader.loaded = k_blocks < P.stages ? k_blocks : P.stages;
    load_tile<P>(shared, a, b, own_tile<P>(tile, place.rank), 0, loader.loaded, place.rank,
                 loader.cursor);
    return;
  }
}

template <TileParams P>
__device__ void produce(const SharedLayout<P>& shared, const ptx::TensorMap* a,
                        const ptx::TensorMap* b, const GemmArgs& args, int k_blocks,
                        Loader<P>& loader) {
  const Placement place = placement<P>();
  int begin = loader.loaded;
  for (int slot = place.cluster; slot < args.slots; slot += place.cluster_count) {
    const TileCoord tile = family_tile_at<P.rasters>(args.raster, args.clusters, slot);
    if (!is_inside(args.clusters, tile)) continue;
    load_tile<P>(shared, a, b, own_tile<P>(tile, place.rank), begin, k_blocks, place.rank,
                 loader.cursor);
    begin = 0;
  }
}

/// Multiplies and stores one tile, or the warpgroup's rows of it. In ping-pong the main loops of
/// the two warpgroups take turns, so that one's epilogue runs under the other's main loop.
template <TileParams P>
__device__ void compute_tile(const SharedLayout<P>& shared, const OutputMaps& maps,
                             const GemmArgs& args, TileCoord tile, int k_blocks, int warpgroup,
                             int thread, StageCursor<P>& cursor) {
  const int rows_before = P.ping_pong() ? 0 : warpgroup * P.warpgroup_rows();
  Accumulators<P> sums;
  if constexpr (P.ping_pong()) ptx::turn_wait(kFirstTurn + warpgroup);
  multiply_tile<P>(shared, rows_before, thread, k_blocks, cursor, sums);
  if constexpr (P.ping_pong()) ptx::turn_allow(kFirstTurn + 1 - warpgroup);
  store_tile<P>(shared, maps, args, tile.m * P.cta_m + rows_before, tile.n * P.cta_n,
                {warpgroup, thread, rows_before, cursor}, sums);
}

template <TileParams P>
__device__ void consume(const SharedLayout<P>& shared, const OutputMaps& maps, const GemmArgs& args,
                        int k_blocks, int warpgroup) {
  const Placement place = placement<P>();
  const int thread = static_cast<int>(threadIdx.x) % TileParams::kWarpgroupThreads;
  StageCursor<P> cursor;
  int turn = 0;  // of the warpgroup that takes the next tile, in ping-pong
  if (P.ping_pong() && warpgroup == 1) ptx::turn_allow(kFirstTurn);  // warpgroup 0 begins
  for (int slot = place.cluster; slot < args.slots; slot += place.cluster_count) {
    const bool traced = P.trace && thread == 0 && warpgroup == turn;
    const unsigned long long start_ns = trace_time(traced);
    const TileCoord cluster_tile = family_tile_at<P.rasters>(args.raster, args.clusters, slot);
    const TileCoord tile = own_tile<P>(cluster_tile, place.rank);
    if (is_inside(args.clusters, cluster_tile)) {
      if (!P.ping_pong() || warpgroup == turn) {
        compute_tile<P>(shared, maps, args, tile, k_blocks, warpgroup, thread, cursor);
      } else {
        cursor.skip(k_blocks);
      }
      if (P.ping_pong()) turn ^= 1;
    }
    if (traced) record<P>(args, place, slot, tile, start_ns);
  }
  // The end of the launch completes the stores; until then only their shared memory must live.
  if (thread == 0) ptx::tma_store_wait_read<0>();
}

template <TileParams P>
__device__ void gemm(const ptx::TensorMap* a, const ptx::TensorMap* b, const OutputMaps& maps,
                     const GemmArgs& args) {
  extern __shared__ char dynamic_shared[];
  const unsigned raw = static_cast<unsigned>(__cvta_generic_to_shared(dynamic_shared));
  constexpr unsigned kMask = TileParams::kSmemAlignment - 1;
  const SharedLayout<P> shared{(raw + kMask) & ~kMask};
  const int k_blocks = (args.k + P.cta_k - 1) / P.cta_k;
  Loader<P> loader;
  if (threadIdx.x == 0) {
    ptx::prefetch_tensor_map(a);
    ptx::prefetch_tensor_map(b);
    init_barriers(shared);
    // Alone, a CTA need not wait for its own threads to load; in a cluster the peer's barriers must
    // stand first.
    if constexpr (P.cluster_size() == 1) preload<P>(shared, a, b, args, k_blocks, loader);
  } else if (threadIdx.x == TileParams::kWarpgroupThreads) {
    if constexpr (!P.direct_store) ptx::prefetch_tensor_map(maps.piece);
  }
  if constexpr (P.cluster_size() > 1) {
    ptx::cluster_sync();
  } else {
    __syncthreads();
  }
  const int warpgroup = static_cast<int>(threadIdx.x) / TileParams::kWarpgroupThreads;
  if (warpgroup == 0) {
    if constexpr (P.producer_registers() > 0) ptx::register_budget_shrink<P.producer_registers()>();
    if (threadIdx.x == 0) produce<P>(shared, a, b, args, k_blocks, loader);
  } else {
    if constexpr (P.producer_registers() > 0) ptx::register_budget_grow<P.consumer_registers()>();
    consume<P>(shared, maps, args, k_blocks, warpgroup - 1);
  }
  // A CTA that left early could not take its peer's arrivals and multicasts.
  if constexpr (P.cluster_size() > 1) {
    __syncwarp();
    ptx::cluster_sync();
  }
}

}  // namespace tw

extern "C" __global__ void __launch_bounds__(kParams.threads(), 1)
    gemm_sm90(const __grid_constant__ tw::ptx::TensorMap a,
              const __grid_constant__ tw::ptx::TensorMap b,
              const __grid_constant__ tw::ptx::TensorMap d,
              const __grid_constant__ tw::ptx::TensorMap d_tail,
              const __grid_constant__ tw::GemmArgs args) {
  tw::gemm<kParams>(&a, &b, {&d, &d_tail}, args);
}
