// Chooses among configs that times cannot separate: the plainest, always the same one.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "search/race.hpp"
#include "tile/config/tile_config.hpp"
#include "tile/workload/device_spec.hpp"
#include "tile/workload/problem.hpp"

namespace tilewright {

/// What a config adds to the default, the most important first; less is plainer.
struct ConfigComplexity {
  int changed_keys = 0;  // keys that differ from the default of the config's family
  int slices = 1;        // of a tile's k
  int64_t workspace_bytes = 0;
  std::vector<int> raster;  // kind, factors, axis
  std::string config;       // equal for equal configs only
  auto operator<=>(const ConfigComplexity&) const = default;
};

ConfigComplexity complexity_of(const Workload& workload, const TileConfig& config,
                               const DeviceSpec& device);

/// Our entries that the rounds do not show, at `confidence`, to be slower than the fastest by more
/// than `slack`; fastest first. All entries ran in the same rounds.
std::vector<const RaceEntry*> tie_set(const std::vector<const RaceEntry*>& ours, double confidence,
                                      double slack);

/// The plainest entry of a tie set that is not empty.
const RaceEntry* plainest(const std::vector<const RaceEntry*>& ties, const Workload& workload,
                          const DeviceSpec& device);

}  // namespace tilewright
