// Decompositions that cut tiles into the same parts.
#pragma once

#include <optional>

#include "tile/plan/plan.hpp"

namespace tilewright {

/// The simpler decomposition that cuts every tile of the plan's output into the same parts, with
/// the same reduction: data-parallel, or split-K for a stream-K plan. Which CTA computes a part may
/// differ. Empty where there is none, for schedules of others, and beyond 2^20 units.
std::optional<Decomposition> equal_decomposition(const Plan& plan, const DeviceSpec& device);

}  // namespace tilewright
