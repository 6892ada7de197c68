// Which of the configs that time cannot tell apart is the answer: the plainest, always the same.
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

/// What a config asks for beyond the default, the weightiest first; less is plainer.
struct Plainness {
  int changed_keys = 0;  // that differ from the default of the config's family
  int slices = 1;        // of a tile's k
  int64_t workspace_bytes = 0;
  std::vector<int> raster;  // kind, factors, axis
  std::string config;       // equal for equal configs only
  auto operator<=>(const Plainness&) const = default;
};

Plainness plainness_of(const Workload& workload, const TileConfig& config,
                       const DeviceSpec& device);

/// The lanes of ours of which `confidence` is not reached that they are slower than the fastest by
/// more than `slack`; fastest first. All lanes ran in the same rounds.
std::vector<const Lane*> tie_set(const std::vector<const Lane*>& ours, double confidence,
                                 double slack);

/// The plainest of a tie set that is not empty.
const Lane* plainest(const std::vector<const Lane*>& ties, const Workload& workload,
                     const DeviceSpec& device);

}  // namespace tilewright
