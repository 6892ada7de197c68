// Which cluster of a replay takes which tiles.
#pragma once

#include <vector>

#include "model/replay_rounds.hpp"
#include "model/replay_scope.hpp"
#include "model/replay_worker.hpp"

namespace tilewright {

struct ReplaySchedule {
  std::vector<ReplayWorker> workers;  // clusters that run at once
  ReplayRounds rounds;                // without DRAM reads
};

/// Deals out the tiles of the scope's rounds, without overhang, or all parts in the plan's order.
ReplaySchedule schedule_pieces(const ReplayScope& scope);

}  // namespace tilewright
