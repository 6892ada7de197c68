// Joules of a launch: many of them back to back, between two steps of the device's energy counter.
#pragma once

#include <functional>

#include "gpu/launch/check.hpp"
#include "gpu/measure/nvml.hpp"
#include "search/runner.hpp"

namespace tilewright {

/// `launch` enqueues one launch on a stream that is captured. Works for `seconds` and until the
/// counter, which steps some ten times a second, has stepped once more; the launches before its
/// first step warm the device up.
EnergyReading measure_energy(const GpuMonitor& monitor, double seconds,
                             const std::function<void(cudaStream_t)>& launch);

}  // namespace tilewright
