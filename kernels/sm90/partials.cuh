// Partial tiles of the sm_90a family: a warpgroup's fp32 sums, stored in the order in which its
// threads hold them, so that each thread reads and writes 16 bytes next to its neighbour's.
//
//   chunk c, thread t: the 4 accumulators of 8 columns, at floats (c * 128 + t) * 4
#pragma once

#include "ptx/global_memory.cuh"
#include "sm90/mainloop.cuh"
#include "sm90/units.cuh"

namespace tw {

/// fp32 values in one warpgroup's partial tile.
template <Sm90Params P>
constexpr int partial_floats() {
  return P.partial_vec4s() * 4;
}

/// Calls each(chunk, four accumulators) for all accumulators of a thread.
template <Sm90Params P, class Each>
__device__ void for_each_chunk(Accumulators<P>& sums, const Each& each) {
  static_assert(P.mma_tiles_n() == 1, "a chunk's columns follow from its number");
  constexpr int kChunksOfBlock = P.cta_n / 8;
#pragma unroll
  for (int block = 0; block < P.mma_rows(); ++block) {
#pragma unroll
    for (int i = 0; i < kChunksOfBlock; ++i) {
      each(block * kChunksOfBlock + i, &sums[block][4 * i]);
    }
  }
}

__device__ inline int chunk_offset(int chunk, int thread) {
  return (chunk * Sm90Params::kWarpgroupThreads + thread) * 4;
}

__device__ inline ptx::Floats4 floats4(const float* four) {
  return {four[0], four[1], four[2], four[3]};
}

__device__ inline void add_to(float* four, ptx::Floats4 v) {
  four[0] += v.x;
  four[1] += v.y;
  four[2] += v.z;
  four[3] += v.w;
}

/// sums += the partial tile in memory.
template <Sm90Params P>
__device__ void add_partial(const float* partial, int thread, Accumulators<P>& sums) {
  for_each_chunk<P>(sums, [&](int chunk, float* four) {
    add_to(four, ptx::load_relaxed(partial + chunk_offset(chunk, thread)));
  });
}

/// sums += parts first, first + step, ... of 4 elements, each at place_of(part). Several loads are
/// in flight at once, because their latency is most of the cost.
template <class PlaceOf>
__device__ void sum_parts(int first, int step, int parts, float (&sums)[4],
                          const PlaceOf& place_of) {
  constexpr int kAtOnce = Sm90Params::kPartsAtOnce;
#pragma unroll 1
  for (int begin = first; begin < parts; begin += kAtOnce * step) {
    ptx::Floats4 loaded[kAtOnce] = {};
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      const int part = begin + i * step;
      if (part < parts) loaded[i] = ptx::load_relaxed(place_of(part));
    }
#pragma unroll
    for (const ptx::Floats4& one : loaded) add_to(sums, one);
  }
}

/// The partial tile in memory = sums.
template <Sm90Params P>
__device__ void store_partial(float* partial, int thread, Accumulators<P>& sums) {
  for_each_chunk<P>(sums, [&](int chunk, float* four) {
    ptx::store_relaxed(partial + chunk_offset(chunk, thread), floats4(four));
  });
}

/// A warpgroup's partial tile and turnstile.
struct PartialPlace {
  float* partial;
  unsigned* ticket;
};

/// Serial and atomic reductions have one partial per tile; others one per part. There is one
/// turnstile per tile; `slot` is the tile's index among all divided ones.
template <Sm90Params P>
__device__ PartialPlace partial_place(const GemmArgs& args, const WorkUnit<int>& unit, int slot,
                                      const Placement& place, int warpgroup) {
  const int of_tile = P.ping_pong() ? 0 : warpgroup;
  const auto index = [&](int at) {
    return (at * P.cluster_size() + static_cast<int>(place.rank)) * P.warpgroups_per_tile() +
           of_tile;
  };
  int at = slot;
  if constexpr (P.stores_parts()) {
    at = P.division == Division::StreamK ? stream_k_part_index(place.cluster, unit.part)
                                         : slot * unit.parts + unit.part;
  }
  return {args.partials + index(at) * static_cast<long long>(partial_floats<P>()),
          args.tickets + index(slot)};
}

/// Floats between the partials of a tile's neighbouring parts, of one warpgroup.
template <Sm90Params P>
constexpr long long part_pitch() {
  return static_cast<long long>(P.cluster_size()) * P.warpgroups_per_tile() * partial_floats<P>();
}

}  // namespace tw
