// The second kernel of the workspace reduction: D is the epilogue of the sum of the parts, for the
// tiles that the first kernel divided.
//
// A warp sums 32 vec4s (16 bytes each, as one thread of the first kernel held them) over some of
// the parts. A block covers one or more spans of 32 vec4s; its warps form groups that divide the
// parts. The order of the sum is fixed: first within the groups, then across the groups.

#include "config.cuh"  // written by the host: inline constexpr tw::Sm90Params kParams
#include "sm90/args.cuh"
#include "sm90/epilogue.cuh"
#include "sm90/partials.cuh"
#include "tools/reduce_trace.cuh"

namespace tw {

/// The vec4 that a thread sums.
struct Share {
  int slot;
  int rank;
  int warpgroup;
  int vec4;  // of the warpgroup's partial tile
};

template <Sm90Params P>
__device__ Share share_of_span(int span, int lane) {
  constexpr int kSpans = P.partial_vec4s() / 32;
  const int tile = span / kSpans / P.warpgroups_per_tile();
  return {tile / P.cluster_size(), tile % P.cluster_size(), span / kSpans % P.warpgroups_per_tile(),
          span % kSpans * 32 + lane};
}

/// The parts of a slot: their number, and the workers that wrote them.
struct PartList {
  Span<int> workers;  // StreamK
  int parts;
};

template <Sm90Params P>
__device__ PartList parts_of(const ReduceArgs& args, int slot) {
  if constexpr (P.division == Division::StreamK) {
    const Span<int> workers = stream_k_workers(args.gemm.work, args.workers, slot);
    return {workers, workers.size()};
  } else {
    return {{}, args.gemm.work.slices};
  }
}

template <Sm90Params P>
__device__ const float* place_of(const ReduceArgs& args, const Share& share, const PartList& list,
                                 int part) {
  const int at = P.division == Division::StreamK
                     ? stream_k_part_index(list.workers.begin + part, part)
                     : share.slot * list.parts + part;
  const int index =
      (at * P.cluster_size() + share.rank) * P.warpgroups_per_tile() + share.warpgroup;
  return args.gemm.partials + index * static_cast<long long>(partial_floats<P>()) + 4 * share.vec4;
}

template <Sm90Params P>
__device__ void reduce(const ReduceArgs& args) {
  __shared__ ptx::Floats4 of_warp[Sm90Params::kReduceWarps][32];
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int spans = args.spans;
  const int group = warp / spans;
  const Share share = share_of_span<P>(static_cast<int>(blockIdx.x) * spans + warp % spans, lane);
  const GemmArgs& gemm = args.gemm;
  const TileCoord at = family_tile_at<P.rasters>(gemm.raster, gemm.clusters, share.slot);
  const PartList list = parts_of<P>(args, share.slot);
  // Every CTA waits, also one without work: if this grid ended before the product did, the next
  // launch could start too early.
  ptx::griddepcontrol_wait();
  ptx::griddepcontrol_launch_dependents();
  if constexpr (P.trace) trace_start(*args.trace);
  // Whole tiles are already stored; overhang has no sums. All spans of a block are of one tile.
  if (list.parts == 1 || !is_inside(gemm.clusters, at)) return;
  float sums[4] = {};
  sum_parts(group, args.groups, list.parts, sums,
            [&](int part) { return place_of<P>(args, share, list, part); });
  of_warp[warp][lane] = floats4(sums);
  __syncthreads();
  if (group > 0) return;
  for (int other = 1; other < args.groups; ++other) {
    add_to(sums, of_warp[other * spans + warp][lane]);
  }
  const TileCoord tile = cta_tile_coord(P.cluster_m, P.cluster_n, at, share.rank);
  constexpr int kThreads = Sm90Params::kWarpgroupThreads;
  write_chunk<P>(gemm, tile.m * P.cta_m + share.warpgroup * P.warpgroup_rows(), tile.n * P.cta_n,
                 share.vec4 / kThreads, share.vec4 % kThreads, sums);
  if constexpr (P.trace) trace_end(*args.trace);
}

}  // namespace tw

extern "C" __global__ void __launch_bounds__(tw::Sm90Params::kReduceWarps * 32)
    reduce_workspace(const __grid_constant__ tw::ReduceArgs args) {
  tw::reduce<kParams>(args);
}
