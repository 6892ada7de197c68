// How far predictions of a kernel were off where it was measured, to correct them elsewhere.
#pragma once

#include <span>
#include <vector>

#include "search/trial.hpp"
#include "tile/config/tile_config.hpp"
#include "tile/workload/device_spec.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// The measured biases of kernels near one product. A kernel's bias at a trial is the logarithm of
/// its measured time over its predicted time, less the median of the trial's fast kernels: what all
/// kernels have in common decides nothing. Configs that differ in raster, cluster or stages count
/// as one kernel.
class MeasuredBias {
 public:
  /// Reads the trials that are nearest to the product, its own one left out.
  MeasuredBias(std::span<const Trial> trials, const Workload& product, const DeviceSpec& device);

  /// Factor for the kernel's predicted time at the product; 1 where it was not measured nearby.
  double factor(const TileConfig& config) const;

 private:
  struct Sample {
    TileConfig config;
    double bias = 0;
    double weight = 0;
  };
  std::vector<Sample> samples_;
};

}  // namespace tilewright
