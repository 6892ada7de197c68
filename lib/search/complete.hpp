// Fills in what a request leaves open.
#pragma once

#include "tile/config/config_keys.hpp"
#include "tile/workload/device_spec.hpp"
#include "tile/workload/problem.hpp"

namespace tilewright {

/// The best predicted legal config that has every value the request names. Throws a usage error
/// with the rule and the reason when none is legal.
TileConfig complete_config(const ConfigRequest& request, const Problem& problem,
                           const DeviceSpec& device);

}  // namespace tilewright
