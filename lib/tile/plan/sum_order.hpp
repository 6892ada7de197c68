// The order in which the terms of D's elements are added.
#pragma once

#include "tile/plan/plan.hpp"

namespace tilewright {

/// True where two plans of one workload add the terms of every element in the same order, so that
/// their launches write the same bits on any device. False also where that is not known: for
/// kernels of different families, and for different ones that are divided by stream-K.
bool has_same_sums(const Plan& a, const Plan& b);

}  // namespace tilewright
