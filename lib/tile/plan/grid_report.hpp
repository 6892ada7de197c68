// Everything that is said about a raster on a grid: the proof, and what a device adds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/check_expression.hpp"
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

struct GridReport {
  Raster raster;
  ClusterShape cluster;
  GridProof proof;
  std::string device;  // empty: none
  std::optional<GridWaves> waves;
  std::optional<GridTraffic> traffic;
  bool operator==(const GridReport&) const = default;
};

/// Waves of `ctas` CTAs over the proof's slots. Throws a usage error when not one cluster fits.
GridWaves count_waves(const GridProof& proof, int64_t ctas, ClusterShape cluster);

/// The report's numbers under their JSON keys, for checks.
std::vector<NamedNumber> numbers_of(const GridReport& report);

}  // namespace tilewright
