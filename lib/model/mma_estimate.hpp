// The cost model of the families on mma.sync.
#pragma once

#include "model/estimate.hpp"

namespace tilewright {

/// estimate() of the sm80 family: CTAs share multiprocessors, tiles may be divided along k.
Estimate estimate_sm80(const Problem& problem, const TileConfig& config, const DeviceSpec& device,
                       const L2Traffic& traffic);

/// estimate() of the skinny family: every byte of B passes once, as fast as loads in flight and
/// the memory allow.
Estimate estimate_skinny(const Problem& problem, const TileConfig& config,
                         const DeviceSpec& device);

}  // namespace tilewright
