// Fills in what a request leaves open: one way for every verb that takes a config.
#pragma once

#include <optional>
#include <string>

#include "tile/config/config_keys.hpp"
#include "tile/config/tile_config.hpp"
#include "tile/workload/device_spec.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// What a request became.
struct Completion {
  std::optional<TileConfig> config;  // none where none is legal
  bool runs_somehow = true;          // false where no config at all runs the workload
  std::string why_not = {};          // the rule and the reason where there is no config
};

/// The best predicted legal config that has every value the request names.
Completion complete(const ConfigRequest& request, const Workload& workload,
                    const DeviceSpec& device);

/// Its config. Throws a usage error where there is none.
TileConfig complete_config(const ConfigRequest& request, const Workload& workload,
                           const DeviceSpec& device);

}  // namespace tilewright
