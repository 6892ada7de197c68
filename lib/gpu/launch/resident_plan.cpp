#include "gpu/launch/resident_plan.hpp"

namespace tilewright {

Plan replanned(const Plan& plan, PlanOptions options) {
  if (options.resident == 0) options.resident = plan.resident;
  return make_plan(plan.workload, plan.config, {}, options);
}

Plan resident_plan(const Plan& plan, const GemmKernel& kernel) {
  const int64_t resident = kernel.resident_ctas();
  if (resident == 0 || resident == plan.resident) return plan;
  PlanOptions options = plan.options;
  options.resident = resident;
  return replanned(plan, options);
}

}  // namespace tilewright
