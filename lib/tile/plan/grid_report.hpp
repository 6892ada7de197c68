// Everything that is said about a raster on a grid: the proof, and what a device adds.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/check_expression.hpp"
#include "tile/config/raster.hpp"
#include "tile/config/tile_config.hpp"

namespace tilewright {

// What a raster does on a grid: its slots, its order, and whether every tile comes exactly once.

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

/// Walks every slot once. The raster walks whole clusters, so a cluster of more than one CTA makes
/// as many slots as it has CTAs, m fastest. Throws a usage error beyond kMostSlots.
GridProof prove_grid(const Raster& raster, TileCoord grid, ClusterShape cluster = {});

/// The same about an order that somebody else walked, such as a kernel's own trace.
GridProof prove_order(std::span<const TileCoord> order, TileCoord grid);

/// The tile of every slot, in launch order; tiles outside the grid are overhang. Throws a usage
/// error beyond kMostListed slots.
std::vector<TileCoord> raster_order(const Raster& raster, TileCoord grid,
                                    ClusterShape cluster = {});

/// Rounds of persistent CTAs over the slots.
struct GridWaves {
  int64_t ctas = 0;  // that run at a time, whole clusters
  int64_t waves = 0;
  double efficiency = 0;  // tiles over waves x ctas
  bool operator==(const GridWaves&) const = default;
};

/// What one wave is predicted to read of the operands.
struct WaveReads {
  int64_t tiles = 0;
  double dram_read_bytes = 0;
  bool operator==(const WaveReads&) const = default;
};

/// What the cost model predicts for the operands.
struct GridTraffic {
  double dram_read_bytes = 0;
  double l2_hit_rate = 0;       // 0 to 1
  double compulsory_bytes = 0;  // of A and B, each read once
  std::vector<WaveReads> waves = {};
  std::string not_runnable = {};  // why no kernel family runs the tile; empty: one does
  bool operator==(const GridTraffic&) const = default;
};

/// The order of somebody else's launch: the tile of every slot; one outside of the grid is
/// overhang.
struct GivenOrder {
  static constexpr TileCoord kNoTile{-1, -1};  // of a slot that names none
  std::string name;
  std::vector<TileCoord> tiles;
};

struct GridReport {
  Raster raster;
  std::shared_ptr<const GivenOrder> given;  // instead of the raster; null: none
  ClusterShape cluster;
  GridProof proof;
  std::string device;  // empty: none
  std::optional<GridWaves> waves;
  std::optional<GridTraffic> traffic;
  bool operator==(const GridReport&) const = default;
};

/// The name of the raster, or of the order that is given instead.
std::string raster_name(const GridReport& report);

/// True where the grid has the tile.
bool is_on_grid(TileCoord grid, TileCoord tile);

/// "8 tiles missing, 2 slots name a tile once more": what an order that is given lacks; empty:
/// nothing.
std::string fault_of_given(const GridReport& report);

/// A slot of a given order whose tile the grid does not have.
struct Stray {
  int64_t slot = 0;
  TileCoord tile;
  bool operator==(const Stray&) const = default;
};

/// All of them, by slot; none of slots that name no tile.
std::vector<Stray> strays_of(const GridReport& report);

/// Extents of a launch of one CTA a slot, without clusters: slot = bidx + x * bidy. A split leaves
/// two axes, as nvFuser's non-persistent schedule launches them: bidy counts the groups.
struct LaunchExtents {
  int64_t x = 0;
  int64_t y = 1;
  std::string tile_m = {};  // of a CTA, in bidx and bidy; empty: a launch of one extent
  std::string tile_n = {};
  bool operator==(const LaunchExtents&) const = default;
};
LaunchExtents launch_extents(const GridReport& report);

/// The tile of every slot of the report's raster, or of the order that is given instead.
std::vector<TileCoord> slot_order(const GridReport& report);

/// Waves of `ctas` CTAs over the proof's slots. Throws a usage error when not one cluster fits.
GridWaves count_waves(const GridProof& proof, int64_t ctas, ClusterShape cluster);

/// The report's numbers under their JSON keys, for checks.
std::vector<NamedNumber> numbers_of(const GridReport& report);

}  // namespace tilewright
