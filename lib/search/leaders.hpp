// The first phase of a search: which kernels lead, by the strategy of its policy.
#pragma once

#include <vector>

#include "search/contest.hpp"
#include "search/rank.hpp"

namespace tilewright {

/// The fastest kernels of the first races, fastest first. Throws where nothing runs.
std::vector<TileConfig> find_leaders(Contest& contest, const Ranking& ranking);

}  // namespace tilewright
