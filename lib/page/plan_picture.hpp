// The picture of an answer: which CTA computes which tile, and when, as predicted for its device.
#pragma once

#include <optional>
#include <string>

#include "draw/scene.hpp"
#include "tile/config/tile_config.hpp"
#include "tile/workload/device_spec.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// A picture, or the reason why there is none.
struct PlanPicture {
  std::optional<Scene> scene;
  std::string why_not;
};

/// Draws the picture of `draw schedule`.
PlanPicture plan_picture(const Workload& workload, const TileConfig& config,
                         const DeviceSpec& device);

}  // namespace tilewright
