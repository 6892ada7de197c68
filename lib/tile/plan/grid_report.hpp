// The report on a raster and a grid: the proof, and predictions for a device.
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
#include "tile/workload/parallel.hpp"

namespace tilewright {

/// Waves of persistent CTAs over the slots.
struct GridWaves {
  int64_t ctas = 0;  // that run at a time, whole clusters
  int64_t waves = 0;
  double efficiency = 0;  // tiles over waves x ctas
  bool operator==(const GridWaves&) const = default;
};

/// Predicted operand reads of one wave.
struct WaveReads {
  int64_t tiles = 0;
  double dram_read_bytes = 0;
  bool operator==(const WaveReads&) const = default;
};

/// The cost model's prediction for the operands.
struct GridTraffic {
  double dram_read_bytes = 0;
  double l2_hit_rate = 0;       // 0 to 1
  double compulsory_bytes = 0;  // of A and B, each read once
  std::vector<WaveReads> waves = {};
  std::string not_runnable = {};  // why no kernel family can run the tile; empty: one can
  bool operator==(const GridTraffic&) const = default;
};

/// The order of a launch by another program: the tile of every slot. Tiles outside the grid are
/// overhang.
struct GivenOrder {
  static constexpr TileCoord kNoTile{-1, -1};  // for a slot without a tile
  std::string name;
  std::vector<TileCoord> tiles;
};

/// The GPUs that share a grid, and the order in which one of them visits their blocks of rows.
struct GridPeers {
  Collective collective = Collective::None;
  tw::PeerBlocks blocks = {};
  bool operator==(const GridPeers&) const = default;
};

/// ", GPU 0 of 2 in a reduce-scatter"; empty for one GPU.
std::string to_string(const GridPeers& peers);

struct GridReport {
  Raster raster;
  std::shared_ptr<const GivenOrder> given;  // instead of the raster; may be null
  ClusterShape cluster;
  GridPeers peers;
  GridProof proof;
  std::string device;  // empty: none
  std::optional<GridWaves> waves;
  std::optional<GridTraffic> traffic;
  bool operator==(const GridReport&) const = default;
};

/// The name of the raster, or of the given order.
std::string raster_name(const GridReport& report);

/// The faults of a given order: "8 tiles missing, 2 slots have a tile again"; empty: none.
std::string fault_of_given(const GridReport& report);

/// A slot of a given order with a tile outside the grid.
struct Stray {
  int64_t slot = 0;
  TileCoord tile;
  bool operator==(const Stray&) const = default;
};

/// All such slots, in order; slots without a tile are not included.
std::vector<Stray> strays_of(const GridReport& report);

/// Extents of a launch of one CTA per slot, without clusters: slot = bidx + x * bidy. A split
/// raster has two axes, as nvFuser's non-persistent schedule launches them: bidy counts the groups.
struct LaunchExtents {
  int64_t x = 0;
  int64_t y = 1;
  std::string tile_m = {};  // a CTA's tile as a formula in bidx and bidy; empty: one-axis launch
  std::string tile_n = {};
  bool operator==(const LaunchExtents&) const = default;
};
LaunchExtents launch_extents(const GridReport& report);

/// The tile of every slot of the report's raster or given order.
std::vector<TileCoord> slot_order(const GridReport& report);

/// Waves of `ctas` CTAs over the proof's slots. Throws a usage error when not one cluster fits.
GridWaves count_waves(const GridProof& proof, int64_t ctas, ClusterShape cluster);

/// The report's numbers under their JSON keys, for checks.
std::vector<NamedNumber> numbers_of(const GridReport& report);

}  // namespace tilewright
