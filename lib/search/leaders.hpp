// The first phase of a search: finds the leading kernels by the policy's strategy.
#pragma once

#include <vector>

#include "search/rank.hpp"
#include "search/search_state.hpp"

namespace tilewright {

/// The fastest kernels of the first races, fastest first. Throws if nothing runs.
std::vector<TileConfig> find_leaders(SearchState& state, const Ranking& ranking);

}  // namespace tilewright
