// A plan as the device at hand runs it.
#pragma once

#include "gpu/launch/gemm_kernel.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {

/// The plan with other options, and with as many CTAs at once where these do not say.
Plan replanned(const Plan& plan, PlanOptions options);

/// The plan with as many CTAs at once as its loaded kernel says, where it does.
Plan resident_plan(const Plan& plan, const GemmKernel& kernel);

}  // namespace tilewright
