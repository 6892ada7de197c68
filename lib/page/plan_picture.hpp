// The picture of an answer: who computes which tile, and when, as its device would run it.
#pragma once

#include <optional>
#include <string>

#include "draw/scene.hpp"
#include "tile/config/tile_config.hpp"
#include "tile/workload/device_spec.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// Where there is none, why.
struct PlanPicture {
  std::optional<Scene> scene;
  std::string why_not;
};

/// As `draw schedule` has it.
PlanPicture plan_picture(const Workload& workload, const TileConfig& config,
                         const DeviceSpec& device);

}  // namespace tilewright
