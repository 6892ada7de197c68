// The coarse grain of the price: what orders thousands of kernels before the best are replayed.
#pragma once

#include "tile/plan/plan.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// Microseconds that a launch takes where all k-steps have the mean's traffic, each operand comes
/// from memory once, and the busiest CTA waits for nobody.
double coarse_us(const Plan& plan, const DeviceSpec& device);

}  // namespace tilewright
