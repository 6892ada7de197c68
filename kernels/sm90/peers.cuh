// Products that GPUs share: parts that go to their owners, and rows of A that arrive.
//
//   reduce-scatter   a warpgroup stores its rows of a tile in the owner's memory and raises a flag
//                    there; the owner's warpgroup of these rows waits for all flags, adds the parts
//                    in order of their GPUs, and runs the epilogue
//   all-gather       the loading thread waits for the flag of the block of A that a tile reads
//
// A flag is the number of the launch that raised it, so no launch resets one. A launch that follows
// may send while the one before still reads: flags and data alternate between two halves of the
// memory. It is never two launches ahead, since each GPU's launch ends behind what all others sent.
#pragma once

#include "ptx/convert.cuh"
#include "ptx/global_memory.cuh"
#include "ptx/special_registers.cuh"
#include "sm90/fixup.cuh"
#include "sm90/promotion.cuh"

namespace tw {

/// The number of this launch, from 1.
__device__ inline unsigned launch_number(const PeerArgs& peers) {
  return ptx::load_relaxed(&peers.state->launches) + 1;
}

/// Waits for a flag of this launch. Behind the limit it notes the GPU that has not raised it, after
/// which no wait of the launch takes longer: the launch ends with a wrong result.
__device__ inline void wait_for_peer(const PeerArgs& peers, const unsigned* flag, unsigned launch,
                                     int source) {
  const auto is_raised = [&] {
    return static_cast<int>(ptx::load_acquire_system(flag) - launch) >= 0;
  };
  if (is_raised()) return;
  const unsigned long long start = ptx::global_time_ns();
  while (!is_raised()) {
    if (ptx::load_relaxed(&peers.state->lost) != 0) return;
    if (ptx::global_time_ns() - start < peers.limit_ns) continue;
    ptx::store_relaxed(&peers.state->lost, static_cast<unsigned>(source) + 1);
  }
}

/// Counts a CTA's end. The last CTA of the launch ends it; all threads of the CTA have read the
/// launch's number.
__device__ inline void end_launch(const PeerArgs& peers, unsigned launch) {
  if (ptx::fetch_add(&peers.state->ended, 1) != gridDim.x - 1) return;
  ptx::store_relaxed(&peers.state->ended, 0);
  ptx::store_relaxed(&peers.state->next, launch + 1);
  ptx::store_relaxed(&peers.state->launches, launch);
}

/// The flags of what a GPU receives in this launch.
__device__ inline unsigned* flags_of(const PeerArgs& peers, int gpu, unsigned launch) {
  return reinterpret_cast<unsigned*>(peers.half(gpu, launch));
}

/// The tiles of each GPU's product, rounded up to whole clusters.
template <Sm90Params P>
__device__ TileCoord grid_of_tiles(const GemmArgs& args) {
  return {args.clusters.m * P.cluster_m, args.clusters.n * P.cluster_n};
}

/// Where the loading thread finds A's rows of a tile in an all-gather.
struct RowsOfA {
  const ptx::TensorMap* map;
  TileCoord tile;  // in the map's rows
  int block;       // of another GPU, or -1
};

/// The kernel's map of A has this GPU's own rows, which are there; others' lie in the map of all.
template <Sm90Params P>
__device__ bool are_own_rows(const GemmArgs& args, TileCoord tile) {
  return owner_of_row(args.blocks, grid_of_tiles<P>(args).m, tile.m) == args.blocks.rank;
}

/// An own tile in the rows of that map.
template <Sm90Params P>
__device__ TileCoord own_tile(const GemmArgs& args, TileCoord tile) {
  tile.m -= args.blocks.rank * (grid_of_tiles<P>(args).m / args.blocks.gpus);
  return tile;
}

template <Sm90Params P>
__device__ RowsOfA rows_of_a(const Trailing<P>& trailing, const ptx::TensorMap* own,
                             const GemmArgs& args, TileCoord tile, unsigned launch) {
  if (are_own_rows<P>(args, tile)) return {own, own_tile<P>(args, tile), -1};
  const int block = tile.m / block_grid(args.blocks, grid_of_tiles<P>(args)).m;
  return {&trailing.gathered[launch & 1], tile, block};
}

/// Returns once part `part` of K of another GPU's rows is there.
__device__ inline void await_rows(const PeerArgs& peers, const PeerBlocks& blocks, int block,
                                  int part, unsigned launch) {
  const unsigned* const flags = flags_of(peers, blocks.rank, launch);
  wait_for_peer(peers, flags + flag_of_rows(blocks, block, part), launch,
                owner_of_block(blocks, block));
  ptx::fence_global_for_async();
}

/// A warpgroup's rows of a tile, as parts of GPUs.
template <Sm90Params P>
struct PeerTile {
  const PeerArgs& peers;
  const PeerBlocks& blocks;
  TileCoord grid;  // of tiles
  TileCoord tile;
  unsigned launch;
  int warpgroup;
  int thread;

  static constexpr int kBytesOfChunk = 4 * bytes_of(P.parts);  // of a thread's 4 sums

  __device__ int owner() const { return owner_of_row(blocks, grid.m, tile.m); }
  __device__ bool is_first_thread() const {
    return threadIdx.x % Sm90Params::kWarpgroupThreads == 0;
  }
  /// The part's number among all that the owner receives, by warpgroup.
  __device__ int number(int source) const {
    const int of_tile = P.ping_pong() ? 0 : warpgroup;
    return part_index(blocks, grid, tile, source) * P.warpgroups_per_tile() + of_tile;
  }
  __device__ unsigned* flag(int source) const {
    return flags_of(peers, owner(), launch) + number(source);
  }
  /// Where the thread's sums of chunk 0 lie.
  __device__ char* place(int source) const {
    constexpr int kBytes = partial_floats<P>() * bytes_of(P.parts);
    return peers.data(owner(), launch) + static_cast<long long>(number(source)) * kBytes +
           thread * kBytesOfChunk;
  }
};

/// Sends the warpgroup's sums to the tile's owner.
template <Sm90Params P>
__device__ void send_part(const PeerTile<P>& part, Accumulators<P>& sums) {
  const int rank = part.blocks.rank;
  char* const place = part.place(rank);
  constexpr int kPitch = Sm90Params::kWarpgroupThreads * PeerTile<P>::kBytesOfChunk;
  for_each_chunk<P>(sums, [&](int chunk, float* four) {
    char* const to = place + chunk * kPitch;
    if constexpr (P.parts == ElementType::F32) {
      *reinterpret_cast<float4*>(to) = make_float4(four[0], four[1], four[2], four[3]);
    } else {
      *reinterpret_cast<uint2*>(to) =
          make_uint2(ptx::pack<P.parts>(four[0], four[1]), ptx::pack<P.parts>(four[2], four[3]));
    }
  });
  inject_delay<P>();
  ptx::warpgroup_sync(1 + part.warpgroup);
  if (part.is_first_thread()) ptx::store_release_system(part.flag(rank), part.launch);
}

/// sums += the part of GPU `source`, which has arrived.
template <Sm90Params P>
__device__ void add_part(const PeerTile<P>& part, int source, Accumulators<P>& sums) {
  const char* const place = part.place(source);
  constexpr int kPitch = Sm90Params::kWarpgroupThreads * PeerTile<P>::kBytesOfChunk;
  for_each_chunk<P>(sums, [&](int chunk, float* four) {
    const char* const from = place + chunk * kPitch;
    if constexpr (P.parts == ElementType::F32) {
      add_to(four, ptx::load_relaxed(reinterpret_cast<const float*>(from)));
    } else {
      const uint2 v = ptx::load_l2(reinterpret_cast<const uint2*>(from));
      const auto value = [](unsigned bits) {
        return ptx::to_float<P.parts>(static_cast<ptx::Bits<P.parts>>(bits));
      };
      add_to(four, {value(v.x), value(v.x >> 16), value(v.y), value(v.y >> 16)});
    }
  });
}

/// Sends the sums of another GPU's tile, or adds the parts of all others to those of an own tile.
/// True for an own tile: `sums` are then complete.
template <Sm90Params P>
__device__ bool join_peers(const PeerTile<P>& part, Accumulators<P>& sums) {
  const int rank = part.blocks.rank;
  if (part.owner() != rank) {
    send_part(part, sums);
    return false;
  }
  if (part.is_first_thread()) {
    for (int source = 0; source < part.blocks.gpus; ++source) {
      if (source != rank) wait_for_peer(part.peers, part.flag(source), part.launch, source);
    }
  }
  inject_delay<P>();
  ptx::warpgroup_sync(1 + part.warpgroup);
  for (int source = 0; source < part.blocks.gpus; ++source) {
    if (source != rank) add_part(part, source, sums);
  }
  return true;
}

}  // namespace tw
