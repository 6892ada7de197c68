// Proof of a raster on a grid: its slots, its order, and whether each tile comes exactly once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "map/peer_blocks.cuh"
#include "tile/config/raster.hpp"
#include "tile/config/tile_config.hpp"

namespace tilewright {

/// Counts are slots or tiles; lists hold at most kMaxExamples counter-examples.
struct GridProof {
  static constexpr size_t kMaxExamples = 100;
  TileCoord tiles;
  int64_t tile_count = 0;
  int64_t slots = 0;
  int64_t overhang = 0;  // slots with a tile outside the grid
  double waste_pct = 0;  // overhang over tile_count
  int64_t missing_count = 0;
  int64_t duplicate_count = 0;
  std::vector<TileCoord> missing;
  std::vector<TileCoord> duplicates;
  /// Every tile has exactly one slot and no slot is overhang.
  bool bijective = false;
  bool operator==(const GridProof&) const = default;
};

/// True where the grid has the tile.
bool is_on_grid(TileCoord grid, TileCoord tile);

/// Walks every slot once. The raster walks whole clusters, so each slot of a cluster counts as many
/// slots as the cluster has CTAs, m fastest. With several blocks of rows, which divide the grid's
/// rows of clusters, it walks one block after the other. Throws a usage error beyond kMaxSlots.
GridProof prove_grid(const Raster& raster, TileCoord grid, ClusterShape cluster = {},
                     const tw::PeerBlocks& blocks = {});

/// The same proof for an order from another source, such as a kernel's trace.
GridProof prove_order(std::span<const TileCoord> order, TileCoord grid);

/// The tile of every slot, in launch order; tiles outside the grid are overhang. Throws a usage
/// error beyond kMaxListed slots.
std::vector<TileCoord> raster_order(const Raster& raster, TileCoord grid, ClusterShape cluster = {},
                                    const tw::PeerBlocks& blocks = {});

}  // namespace tilewright
