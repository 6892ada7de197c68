// What a launch of a config deals out to its workers, and the memory that divided tiles need.
#pragma once

#include <cstdint>

#include "tile/problem.hpp"
#include "tile/tile_config.hpp"
#include "work_units.cuh"

namespace tilewright {

/// CTAs of a cluster of the launch: those that share operands, and those along k.
int launch_cluster_size(const TileConfig& config);

/// The units of a launch whose clusters, `workers` of them, run at once.
tw::WorkPlan work_plan(const GemmShape& shape, const TileConfig& config, int64_t workers);

/// Clusters that have work when the device holds `resident` of them.
int64_t worker_count(const GemmShape& shape, const TileConfig& config, int64_t resident);

/// Units that the busiest worker takes, at most.
int64_t most_units(const tw::WorkPlan& plan, const TileConfig& config, int64_t workers);

/// fp32 tiles of a CTA in global memory, and turns (one a warpgroup of a tile) beside them.
struct PartialStore {
  int64_t tiles = 0;
  int64_t bytes = 0;  // of all tiles
  int64_t turns = 0;
  bool zeroed = false;  // the tiles begin and end as zeros
  bool operator==(const PartialStore&) const = default;
};

PartialStore partial_store(const GemmShape& shape, const TileConfig& config, int64_t workers);

/// How often an element's sum is rounded to the output's type: by every part that is added in
/// place.
int output_roundings(const GemmShape& shape, const TileConfig& config);

}  // namespace tilewright
