// How the clusters of a replay walk their tiles, and what L2 misses on the way.
#pragma once

#include <vector>

#include "model/fixup_traffic.hpp"
#include "model/replay_schedule.hpp"
#include "model/replay_scope.hpp"
#include "model/slab_index.hpp"

namespace tilewright {

/// Operand bytes that DRAM delivers, and the traffic of joining parts.
struct ReplayMisses {
  std::vector<double> operand_bytes;  // by round
  DramTraffic partial;
};

/// A cluster continues when its last step is done and its next slabs have arrived; parts of a tile
/// wait for other parts.
ReplayMisses walk_in_time(const ReplayScope& scope, const ReplaySchedule& schedule,
                          const SlabIndex& slabs);

/// All clusters walk whole tiles step by step; a panel that several read in a step is read once per
/// partition of L2.
ReplayMisses walk_in_lockstep(const ReplayScope& scope, const ReplaySchedule& schedule,
                              const SlabIndex& slabs);

}  // namespace tilewright
