// The cost model: what a config should cost on a device, before anything is compiled.
#pragma once

#include <cstdint>

#include "model/l2_replay.hpp"
#include "model/tile_cost.hpp"
#include "tile/device_spec.hpp"
#include "tile/problem.hpp"
#include "tile/tile_config.hpp"

namespace tilewright {

/// A predicted run; times in microseconds, traffic in bytes over the whole run.
struct Estimate {
  double us = 0;  // total; the parts below overlap inside a wave
  double tensor_us = 0;
  double l2_us = 0;
  double dram_us = 0;
  double dram_read_bytes = 0;
  double dram_write_bytes = 0;
  double l2_hit_rate = 0;  // of the SMs' operand reads, 0 to 1
  int64_t slots = 0;       // of CTAs: clusters count by their size
  int64_t waves = 0;
  double wave_efficiency = 0;  // tiles over waves x CTAs
  bool operator==(const Estimate&) const = default;
};

/// Predicted times of two rasters of one kernel that differ by a smaller share than this are the
/// same for the model: over recorded times, ratios of one kernel's rasters are off by 0.6 % in the
/// median.
inline constexpr double kTimeResolution = 0.01;

/// From the start of an sm_90a kernel to its first k-step, and its drain; microseconds.
double launch_us(const TileConfig& config, const DeviceSpec& device);

/// Predicts the run of a legal config.
Estimate estimate(const Problem& problem, const TileConfig& config, const DeviceSpec& device);

/// The same from a replay of the same tile, cluster and raster: stages and promotion may differ.
Estimate estimate(const Problem& problem, const TileConfig& config, const DeviceSpec& device,
                  const L2Traffic& traffic);

/// What one CTA's k-step moves, bytes, how many CTAs run at once, and how the copies fare.
struct StepLoad {
  double l2_bytes = 0;    // between L2 and the multiprocessors
  double dram_bytes = 0;  // reads and writes
  int64_t active = 0;
  StageCopies copies = {};
};

/// How the copies of a run with that traffic fare.
StageCopies copies_of(const Problem& problem, const TileConfig& config, const DeviceSpec& device,
                      const L2Traffic& traffic);

/// The load of a data-parallel run's steps; nobody is active in it yet.
StepLoad step_load(const Problem& problem, const TileConfig& config, const DeviceSpec& device);

/// Time of one k-step of a CTA, as estimate() has it for a wave of such steps.
double k_step_us(const TileConfig& config, const DeviceSpec& device, const StepLoad& load);

/// Time that a tile's epilogue adds, with the clock of `active` CTAs at work.
double epilogue_us(const TileConfig& config, const DeviceSpec& device, int64_t active);

}  // namespace tilewright
