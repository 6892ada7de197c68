// The coarse price, which orders thousands of kernels before the best are replayed.
#pragma once

#include "tile/plan/plan.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// Microseconds of a launch if every k-step has the mean traffic, each operand is read from memory
/// once, and the busiest CTA waits for no other; the wave_bound_us() of that where the device's
/// rates predict no time.
double coarse_us(const Plan& plan, const DeviceSpec& device);

}  // namespace tilewright
