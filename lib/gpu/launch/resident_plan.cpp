#include "gpu/launch/resident_plan.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/residency.hpp"

namespace tilewright {

Plan replan(const Plan& plan, PlanOptions options) {
  if (options.resident == 0) options.resident = plan.resident;
  return make_plan(plan.workload, plan.config, {}, options);
}

std::string why_not_resident(const Plan& plan, const GemmKernel& kernel) {
  const std::optional<int64_t> resident = kernel.resident_ctas();
  return resident ? why_not_resident(plan, *resident) : "";
}

Plan resident_plan(const Plan& plan, const GemmKernel& kernel) {
  if (const std::string why = why_not_resident(plan, kernel); !why.empty()) {
    throw environment_error(format("{}: {}", to_string(plan.config), why));
  }
  const std::optional<int64_t> resident = kernel.resident_ctas();
  if (!resident || *resident == plan.resident) return plan;
  PlanOptions options = plan.options;
  options.resident = *resident;
  return replan(plan, options);
}

}  // namespace tilewright
