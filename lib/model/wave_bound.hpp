// What a launch is ranked by where no time is predicted: its waves and its traffic.
#pragma once

#include "tile/plan/plan.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// The longest of three, each at a figure of the part's data sheet: the waves' k-steps on the
/// busiest multiprocessor at the tensor peak, the operands on their way through L2, and
/// `dram_bytes`; then partial sums, which no main loop hides, through L2. Microseconds, and no
/// time: nothing else that a kernel does is in it. `k_steps` are those of the busiest place for a
/// CTA, one CTA after the other.
double wave_bound_us(const Plan& plan, const DeviceSpec& device, double k_steps, double dram_bytes);

}  // namespace tilewright
