// The cost model: what a config should cost on a device, before anything is compiled.
#pragma once

#include "model/price.hpp"
#include "tile/config/tile_config.hpp"
#include "tile/workload/device_spec.hpp"
#include "tile/workload/problem.hpp"

namespace tilewright {

/// Predicted times of two rasters of one kernel that differ by a smaller share than this are the
/// same for the model: over recorded times, ratios of one kernel's rasters are off by 0.6 % in the
/// median.
inline constexpr double kTimeResolution = 0.01;

/// Predicts the launch of a plan: the sum of its price, as its timeline ends.
Estimate estimate(const Plan& plan, const DeviceSpec& device);

/// The same from a replay of the same tile, cluster and raster: stages and promotion may differ.
Estimate estimate(const Plan& plan, const DeviceSpec& device, const L2Traffic& traffic);

/// The same of a product and a legal config, by their plan.
Estimate estimate(const Problem& problem, const TileConfig& config, const DeviceSpec& device);

}  // namespace tilewright
