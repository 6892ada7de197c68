// Everything that is said about a raster on a grid: the proof, and what a device adds.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/check_expression.hpp"
#include "tile/config/raster.hpp"
#include "tile/config/tile_config.hpp"
#include "tile/plan/grid_proof.hpp"

namespace tilewright {

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
