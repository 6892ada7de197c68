// Checks a plan against the number of CTAs that a device actually holds at once.
#pragma once

#include <cstdint>
#include <string>

#include "tile/plan/plan.hpp"

namespace tilewright {

/// Why a device that holds `resident` CTAs of the plan's kernel at once cannot run it; empty where
/// it can. One cluster must fit, and so must all parts of a tile that wait for each other.
std::string why_not_resident(const Plan& plan, int64_t resident);

}  // namespace tilewright
