// Which ways to divide a kernel's tiles along k are worth a try.
#pragma once

#include <vector>

#include "tile/config/tile_config.hpp"
#include "tile/workload/device_spec.hpp"
#include "tile/workload/problem.hpp"

namespace tilewright {

/// Decompositions of the config's tiles beside data-parallel: none unless so few tiles leave half
/// of the device idle, else the numbers of slices that fill it, with the reductions that suit them.
std::vector<Decomposition> divisions_for(const Problem& problem, const TileConfig& config,
                                         const DeviceSpec& device);

}  // namespace tilewright
