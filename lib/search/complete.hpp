// Fills in what a request leaves open: one way for every verb that takes a config.
#pragma once

#include <optional>

#include "tile/config/config_keys.hpp"
#include "tile/config/tile_config.hpp"
#include "tile/workload/device_spec.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// The best predicted legal config that has every value the request names; none where none is
/// legal.
std::optional<TileConfig> find_config(const ConfigRequest& request, const Workload& workload,
                                      const DeviceSpec& device);

/// find_config(). Throws a usage error with the rule and the reason when none is legal.
TileConfig complete_config(const ConfigRequest& request, const Workload& workload,
                           const DeviceSpec& device);

}  // namespace tilewright
