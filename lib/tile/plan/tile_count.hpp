// The number of tiles that a launch computes, without a walk.
#pragma once

#include <cstdint>

#include "tile/plan/plan.hpp"

namespace tilewright {

/// Different tiles inside a problem's grid, over all clusters that for_each_whole_tile() can visit.
/// A cluster on the edge of a triangle includes some tiles outside it.
int64_t visited_tiles(const Plan& plan, int problem);

}  // namespace tilewright
