// A plan with the CTAs that the current device holds at once.
#pragma once

#include <string>

#include "gpu/launch/gemm_kernel.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {

/// The plan with other options; if these have no `resident`, the plan's own stays.
Plan replan(const Plan& plan, PlanOptions options);

/// Why the current device cannot run a plan of the loaded kernel; empty if it can.
std::string why_not_resident(const Plan& plan, const GemmKernel& kernel);

/// The plan with the resident CTAs that its loaded kernel reports, if it reports any. Throws an
/// environment error if the device cannot run it.
Plan resident_plan(const Plan& plan, const GemmKernel& kernel);

}  // namespace tilewright
