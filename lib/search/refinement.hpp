// The second phase of a search: what is near the kernels that lead, and other forms of them.
#pragma once

#include <cstdint>
#include <vector>

#include "search/contest.hpp"
#include "search/enumerate.hpp"

namespace tilewright {

/// The leaders once neighbours and variants have raced them.
struct Refined {
  std::vector<TileConfig> leaders;
  int64_t outside = 0;  // configs that were tried and that no space holds
};

/// Refines the leaders within the budget. Throws where nothing runs any more.
Refined refine(Contest& contest, const std::vector<TileConfig>& leaders,
               const Enumeration& enumeration);

}  // namespace tilewright
