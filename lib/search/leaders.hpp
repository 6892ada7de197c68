// The first phase of a search: finds the leading kernels by the policy's strategy.
#pragma once

#include <vector>

#include "search/rank.hpp"
#include "search/search_state.hpp"

namespace tilewright {

/// The ranked kernels in the order in which a search by the policy tries them, and how many of them
/// it compiles first.
struct FirstKernels {
  std::vector<RankedConfig> order;
  size_t count = 0;
};
FirstKernels first_kernels(const Ranking& ranking, const TunePolicy& policy);

/// Up to `count` of the ranked kernels, by shortlist().
std::vector<RankedConfig> shortlisted(const std::vector<RankedConfig>& kernels, size_t count);

/// The fastest kernels of the first races, fastest first. Throws if nothing runs.
std::vector<TileConfig> find_leaders(SearchState& state, const Ranking& ranking);

}  // namespace tilewright
