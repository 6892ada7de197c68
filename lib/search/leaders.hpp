// The first phase of a search: finds the leading kernels by the policy's strategy.
#pragma once

#include <vector>

#include "search/contest.hpp"
#include "search/rank.hpp"

namespace tilewright {

/// The fastest kernels of the first races, fastest first. Throws if nothing runs.
std::vector<TileConfig> find_leaders(Contest& contest, const Ranking& ranking);

}  // namespace tilewright
