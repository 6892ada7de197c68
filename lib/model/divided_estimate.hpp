// The cost of configs whose tiles are divided along k: even shares of the main loops, and what
// joining the parts takes.
#pragma once

#include "model/estimate.hpp"

namespace tilewright {

/// Time from the end of a part's main loop until its tile is summed, when all parts end together;
/// microseconds.
double join_us(const Problem& problem, const TileConfig& config, const DeviceSpec& device);

/// estimate() of a config that is not data-parallel, from the traffic of its whole tiles.
Estimate estimate_divided(const Problem& problem, const TileConfig& config,
                          const DeviceSpec& device, const L2Traffic& traffic);

}  // namespace tilewright
