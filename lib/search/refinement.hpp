// The second phase of a search: neighbours of the leading kernels, and other forms of them.
#pragma once

#include <cstdint>
#include <vector>

#include "search/enumerate.hpp"
#include "search/search_state.hpp"

namespace tilewright {

/// The leaders after races against neighbours and variants.
struct Refined {
  std::vector<TileConfig> leaders;
  int64_t outside = 0;  // configs that were tried although no space has them
};

/// Refines the leaders within the budget; after a race of a short list, the fastest by its nearest
/// neighbours only. Throws if nothing runs any more.
Refined refine(SearchState& state, const std::vector<TileConfig>& leaders,
               const Enumeration& enumeration);

}  // namespace tilewright
