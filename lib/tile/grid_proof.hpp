// What a raster does on a grid: its slots, its order, and whether every tile comes exactly once.
#pragma once

#include <cstdint>
#include <vector>

#include "tile/raster.hpp"

namespace tilewright {

/// Counts are slots or tiles; lists hold at most kMostExamples counter-examples.
struct GridProof {
  static constexpr size_t kMostExamples = 100;
  TileCoord tiles;
  int64_t tile_count = 0;
  int64_t slots = 0;
  int64_t overhang = 0;  // slots whose tile lies outside the grid
  double waste_pct = 0;  // overhang over tile_count
  int64_t missing_count = 0;
  int64_t duplicate_count = 0;
  std::vector<TileCoord> missing;
  std::vector<TileCoord> duplicates;
  /// Every tile has exactly one slot and no slot is overhang.
  bool bijective = false;
  bool operator==(const GridProof&) const = default;
};

/// Walks every slot of the raster once. Throws a usage error beyond 2^32 slots.
GridProof prove_grid(const Raster& raster, TileCoord grid);

/// The tile of every slot, in launch order; tiles outside the grid are overhang. Throws a usage
/// error beyond 2^26 slots.
std::vector<TileCoord> raster_order(const Raster& raster, TileCoord grid);

}  // namespace tilewright
