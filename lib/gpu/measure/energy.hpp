// Measures the energy of a launch: runs many back to back, between two steps of the device's energy
// counter.
#pragma once

#include <functional>

#include "gpu/launch/check.hpp"
#include "gpu/measure/nvml.hpp"
#include "search/runner.hpp"

namespace tilewright {

/// `launch` enqueues one launch on a captured stream. Launches repeat for `seconds` and then until
/// the counter, which steps some ten times a second, steps once more. Launches before its first
/// step warm the device up.
EnergyReading measure_energy(const GpuMonitor& monitor, double seconds,
                             const std::function<void(cudaStream_t)>& launch);

}  // namespace tilewright
