// Which plans a device runs whose CTAs are not those that the plan counts with.
#pragma once

#include <cstdint>
#include <string>

#include "tile/plan/plan.hpp"

namespace tilewright {

/// Why a device that holds `resident` CTAs of the plan's kernel at once does not run it; empty
/// where it does. A cluster is to fit, and so are at once the parts of a tile that wait for each
/// other.
std::string why_not_resident(const Plan& plan, int64_t resident);

}  // namespace tilewright
