// The cost model: what a config should cost on a device, before anything is compiled.
#pragma once

#include <cstdint>
#include <optional>

#include "model/l2_replay.hpp"
#include "model/replay_cache.hpp"
#include "tile/config/tile_config.hpp"
#include "tile/plan/plan.hpp"
#include "tile/workload/device_spec.hpp"
#include "tile/workload/problem.hpp"

namespace tilewright {

/// A predicted run; times in microseconds, traffic in bytes over the whole run. Rankings compare
/// `us`, and reports print believed_us().
struct Estimate {
  double us = 0;  // total; the parts below overlap inside a wave
  double tensor_us = 0;
  double l2_us = 0;
  double dram_us = 0;
  double dram_read_bytes = 0;
  double dram_write_bytes = 0;
  double l2_hit_rate = 0;  // of the SMs' operand reads, 0 to 1
  int64_t slots = 0;       // of CTAs; a cluster counts as its CTAs
  int64_t waves = 0;
  double wave_efficiency = 0;  // tiles / (waves x CTAs)
  bool is_time = true;  // false: `us` is wave_bound_us(), a rank and no time; the parts are 0
  bool operator==(const Estimate&) const = default;
};

/// The time, for reports; nothing where the model has none for the device (predicts_time()).
std::optional<double> believed_us(const Estimate& estimate);

/// Predicted times of two rasters of one kernel count as equal if they differ by a smaller share:
/// over recorded times, the model's ratios of one kernel's rasters are off by 0.6 % in the median.
inline constexpr double kTimeResolution = 0.01;

/// Predicts the launch of a plan: the sum of its price, or the end of its timeline.
Estimate estimate(const Plan& plan, const DeviceSpec& device);

/// The same from traffic replayed for the same tile, cluster, raster and number of CTAs at once;
/// stages and promotion may differ.
Estimate estimate(const Plan& plan, const DeviceSpec& device, const L2Traffic& traffic);

/// The same; a group's replays come from `replays`.
Estimate estimate(const Plan& plan, const DeviceSpec& device, ReplayCache& replays);

/// The same for a problem and a legal config.
Estimate estimate(const Problem& problem, const TileConfig& config, const DeviceSpec& device);

}  // namespace tilewright
