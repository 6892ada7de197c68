// The order in which every ranking lists what it prices.
#pragma once

#include "model/estimate.hpp"

namespace tilewright {

/// True if `a` precedes `b`, both estimates on one device. Predicted times order them, and times
/// within a nanosecond are equal. Where there is no time, waves and traffic do: first
/// wave_bound_us(), then the number of waves, then DRAM's bytes. A strict weak order.
bool ranks_before(const Estimate& a, const Estimate& b);

}  // namespace tilewright
