// How many tiles a launch computes, without a walk.
#pragma once

#include <cstdint>

#include "tile/plan/plan.hpp"

namespace tilewright {

/// Tiles inside of a problem's grid, each once, of the clusters that for_each_whole_tile() visits
/// where it visits all; a cluster of a triangle has some off the triangle, too.
int64_t visited_tiles(const Plan& plan, int problem);

}  // namespace tilewright
