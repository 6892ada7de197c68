// The second kernel of the workspace reduction: D = alpha * (sum of the parts) + beta * C + bias
// for the tiles that the first kernel left in parts.
//
// A block sums one chunk of one warpgroup's rows: 128 threads hold 4 elements each, as the first
// kernel's threads did, in groups that share the parts among them. The order of the sum is
// fixed: first within the groups, then the groups.

#include "config.cuh"  // written by the host: inline constexpr tw::TileParams kParams
#include "reduce_args.cuh"
#include "sm90_epilogue.cuh"
#include "sm90_partials.cuh"

namespace tw {

/// What a block sums.
template <TileParams P>
struct Share {
  int slot;
  int rank;
  int warpgroup;
  int chunk;
};

template <TileParams P>
__device__ Share<P> share_of_block(int block) {
  constexpr int kChunks = P.accumulator_registers() / 4;
  const int tile = block / kChunks / P.warpgroups_per_tile();
  return {tile / P.cluster_size(), tile % P.cluster_size(),
          block / kChunks % P.warpgroups_per_tile(), block % kChunks};
}

/// Where the parts of a slot begin, how far apart they lie, and how many there are.
struct PartList {
  Span<int> workers;  // StreamK
  int parts;
};

template <TileParams P>
__device__ PartList parts_of(const ReduceArgs& args, int slot) {
  if constexpr (P.division == Division::StreamK) {
    const Span<int> workers = streaming_workers(args.gemm.plan, args.workers, slot);
    return {workers, workers.size()};
  } else {
    return {{}, args.gemm.plan.slices};
  }
}

template <TileParams P>
__device__ ptx::Floats4 load_part(const ReduceArgs& args, const Share<P>& share,
                                  const PartList& list, int part, int thread) {
  const int at = P.division == Division::StreamK
                     ? streamed_part_place(list.workers.begin + part, part)
                     : share.slot * list.parts + part;
  const int index =
      (at * P.cluster_size() + share.rank) * P.warpgroups_per_tile() + share.warpgroup;
  return ptx::load_shared_by_ctas(args.gemm.partials +
                                  index * static_cast<long long>(partial_floats<P>()) +
                                  chunk_offset(share.chunk, thread));
}

template <TileParams P>
__device__ void reduce(const ReduceArgs& args) {
  __shared__ ptx::Floats4 of_group[TileParams::kReduceGroups][TileParams::kWarpgroupThreads];
  const Share<P> share = share_of_block<P>(static_cast<int>(blockIdx.x));
  const int thread = static_cast<int>(threadIdx.x) % TileParams::kWarpgroupThreads;
  const int group = static_cast<int>(threadIdx.x) / TileParams::kWarpgroupThreads;
  const int groups = static_cast<int>(blockDim.x) / TileParams::kWarpgroupThreads;
  const GemmArgs& gemm = args.gemm;
  const TileCoord at = family_tile_at<P.rasters>(gemm.raster, gemm.clusters, share.slot);
  const PartList list = parts_of<P>(args, share.slot);
  // Whole tiles are stored already; overhang has none.
  if (list.parts == 1 || !is_inside(gemm.clusters, at)) return;
  ptx::wait_for_dependencies();
  float sums[4] = {};
#pragma unroll 8
  for (int part = group; part < list.parts; part += groups) {
    add_to(sums, load_part<P>(args, share, list, part, thread));
  }
  of_group[group][thread] = floats4(sums);
  __syncthreads();
  if (group > 0) return;
  for (int other = 1; other < groups; ++other) add_to(sums, of_group[other][thread]);
  const TileCoord tile = own_tile(P, at, share.rank);
  write_chunk<P>(gemm, tile.m * P.cta_m + share.warpgroup * P.warpgroup_rows(), tile.n * P.cta_n,
                 share.chunk, thread, sums);
}

}  // namespace tw

extern "C" __global__ void __launch_bounds__(
    tw::TileParams::kReduceGroups* tw::TileParams::kWarpgroupThreads)
    reduce_workspace(const __grid_constant__ tw::ReduceArgs args) {
  tw::reduce<kParams>(args);
}
