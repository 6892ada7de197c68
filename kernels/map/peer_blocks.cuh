// Across GPUs: which rows of tiles each GPU owns, and in which order a GPU visits them.
//
//   rows of the tile grid:  [owner 0: chunk 0 | chunk 1 | ...] [owner 1: chunk 0 | ...] ...
//
//   visit --visited_block--> block --visit_of--> visit
//
// A raster walks one block after the other. The owner of a block has its rows of D in a
// reduce-scatter, and its rows of A in an all-gather. Host and kernels call the same functions.
#pragma once

#include "map/raster.cuh"
#include "map/tile_map.cuh"

namespace tw {

/// What the GPUs of a host exchange for one product.
enum class Collective : int {
  None,
  ReduceScatter,  // each has a part of K, and of D the sums of its own rows
  AllReduce,      // each has a part of K, and all of D
  AllGather,      // each has rows of A and columns of B, and all rows of D in its columns
};

/// The order in which a GPU visits blocks.
enum class RankOrder : int {
  Given,   // as they lie, the same on every GPU
  Ring,    // all blocks of one owner, then those of the next one
  Chunks,  // the first blocks of all owners, then the second ones
};

/// The most GPUs of one host.
inline constexpr int kMaxGpus = 16;

/// The blocks of a launch as GPU `rank` visits them: the owners in turn, from the next GPU on.
struct PeerBlocks {
  int gpus = 1;
  int rank = 0;
  int chunks = 1;  // blocks of each owner
  RankOrder order = RankOrder::Ring;
  // The own blocks come last, since parts of the others must arrive for them; in chunks an own
  // block comes one chunk late. Otherwise they come first, since they are there.
  bool own_last = true;
  int k_chunks = 1;  // parts of K in which rows of A arrive
  bool operator==(const PeerBlocks&) const = default;
  constexpr int count() const { return gpus * chunks; }
};

constexpr int owner_of_block(const PeerBlocks& p, int block) {
  return block / p.chunks;
}

/// A block by the turn of its owner, from 0, and its number among the owner's.
struct OwnersBlock {
  int turn = 0;
  int chunk = 0;
};

/// The blocks that are visited by chunk.
///
///   own last, 3 GPUs, 3 chunks      a0 b0 | a1 b1 own0 | a2 b2 own1 | own2
///   own first                       own0 a0 b0 | own1 a1 b1 | own2 a2 b2
constexpr OwnersBlock visited_by_chunk(const PeerBlocks& p, int visit) {
  if (!p.own_last) return {visit % p.gpus, visit / p.gpus};
  const int others = p.gpus - 1;
  if (visit < others) return {visit, 0};
  const int step = 1 + (visit - others) / p.gpus;
  const int turn = (visit - others) % p.gpus;
  if (step == p.chunks) return {others, p.chunks - 1};
  return {turn, turn == others ? step - 1 : step};
}

/// The block that is visited as the `visit`th.
constexpr int visited_block(const PeerBlocks& p, int visit) {
  if (p.order == RankOrder::Given) return visit;
  const OwnersBlock block = p.order == RankOrder::Chunks
                                ? visited_by_chunk(p, visit)
                                : OwnersBlock{visit / p.chunks, visit % p.chunks};
  const int owner = (p.rank + block.turn + (p.own_last ? 1 : 0)) % p.gpus;
  return owner * p.chunks + block.chunk;
}

/// The inverse of visited_block().
constexpr int visit_of(const PeerBlocks& p, int block) {
  if (p.order == RankOrder::Given) return block;
  const int chunk = block % p.chunks;
  const int first = p.rank + (p.own_last ? 1 : 0);
  const int turn = (owner_of_block(p, block) + p.gpus - first) % p.gpus;
  if (p.order == RankOrder::Ring) return turn * p.chunks + chunk;
  if (!p.own_last) return chunk * p.gpus + turn;
  const int others = p.gpus - 1;
  if (turn == others) return chunk == p.chunks - 1 ? p.count() - 1 : (chunk + 2) * p.gpus - 2;
  return chunk == 0 ? turn : others + (chunk - 1) * p.gpus + turn;
}

/// The grid of one block. `grid` has a multiple of count() rows.
constexpr TileCoord block_grid(const PeerBlocks& p, TileCoord grid) {
  return {grid.m / p.count(), grid.n};
}

/// The tile of a slot, where every block has `block_slots` of its raster's slots; outside of the
/// grid for a slot of the raster's overhang.
template <RasterFamily F, class Index>
constexpr TileCoord peer_tile_at(const Raster& raster, const PeerBlocks& p, TileCoord grid,
                                 Index block_slots, Index slot) {
  const TileCoord block = block_grid(p, grid);
  TileCoord tile = family_tile_at<F>(raster, block, slot % block_slots);
  if (!is_inside(block, tile)) return grid;
  tile.m += visited_block(p, static_cast<int>(slot / block_slots)) * block.m;
  return tile;
}

/// The slots of one block, and of all blocks.
template <class Index>
constexpr Index block_slot_count(const Raster& raster, const PeerBlocks& p, TileCoord grid) {
  return slot_count<Index>(raster, block_grid(p, grid));
}
template <class Index>
constexpr Index peer_slot_count(const Raster& raster, const PeerBlocks& p, TileCoord grid) {
  return p.count() * block_slot_count<Index>(raster, p, grid);
}

/// peer_tile_at() of any raster.
template <class Index>
constexpr TileCoord peer_tile_at(const Raster& raster, const PeerBlocks& p, TileCoord grid,
                                 Index slot) {
  const Index slots = block_slot_count<Index>(raster, p, grid);
  switch (family_of(raster)) {
    case RasterFamily::Plain:
      return peer_tile_at<RasterFamily::Plain>(raster, p, grid, slots, slot);
    case RasterFamily::Curves:
      return peer_tile_at<RasterFamily::Curves>(raster, p, grid, slots, slot);
    case RasterFamily::Groups:
      return peer_tile_at<RasterFamily::Groups>(raster, p, grid, slots, slot);
    default: return peer_tile_at<RasterFamily::Factors>(raster, p, grid, slots, slot);
  }
}

/// The owner of a tile's rows in a grid of `rows` rows.
constexpr int owner_of_row(const PeerBlocks& p, int rows, int row) {
  return row / (rows / p.gpus);
}

/// The flag of a part of K of a block of A, among those that a GPU receives.
constexpr int flag_of_rows(const PeerBlocks& p, int block, int part) {
  return block * p.k_chunks + part;
}

/// The place of a source's part among the parts of one tile: its owner keeps none.
constexpr int place_of_part(int owner, int source) {
  return source < owner ? source : source - 1;
}

/// The index of the part that `source` sends to the owner of the tile, among all parts that the
/// owner receives.
constexpr int part_index(const PeerBlocks& p, TileCoord grid, TileCoord tile, int source) {
  const int rows = grid.m / p.gpus;
  const int owned = tile.m % rows * grid.n + tile.n;
  return owned * (p.gpus - 1) + place_of_part(tile.m / rows, source);
}

}  // namespace tw
