// Fills in what a request leaves open, in the same way for every verb that takes a config.
#pragma once

#include <optional>
#include <string>

#include "tile/config/config_keys.hpp"
#include "tile/config/tile_config.hpp"
#include "tile/workload/device_spec.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// The result of completing a request.
struct Completion {
  std::optional<TileConfig> config;  // empty if none is legal
  bool runs_somehow = true;          // false if no config at all runs the workload
  std::string why_not = {};          // the rule and the reason if there is no config
};

/// The legal config with the best prediction among those with every value that the request names.
Completion complete(const ConfigRequest& request, const Workload& workload,
                    const DeviceSpec& device);

/// The config of complete(). Throws a usage error if there is none.
TileConfig complete_config(const ConfigRequest& request, const Workload& workload,
                           const DeviceSpec& device);

}  // namespace tilewright
