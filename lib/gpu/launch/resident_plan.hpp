// A plan as the device at hand runs it.
#pragma once

#include <string>

#include "gpu/launch/gemm_kernel.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {

/// The plan with other options, and with as many CTAs at once where these do not say.
Plan replanned(const Plan& plan, PlanOptions options);

/// Why the device at hand does not run a plan of its loaded kernel; empty where it does.
std::string why_not_resident(const Plan& plan, const GemmKernel& kernel);

/// The plan with as many CTAs at once as its loaded kernel says, where it does. Throws an
/// environment error where the device does not run it.
Plan resident_plan(const Plan& plan, const GemmKernel& kernel);

}  // namespace tilewright
