#include "answer/shipped_set.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {

std::optional<Plan> ShippedSet::plan_of(const Workload& workload, const TileConfig& config,
                                        const OperandPlaces& places) const {
  if (reject_workload(workload, config, device_)) return std::nullopt;
  try {
    Plan plan = make_plan(workload, config, device_, {.places = places});
    if (!record_of(config.family).why_no_kernel_for_places(plan).empty()) return std::nullopt;
    return plan;
  } catch (const Error& error) {
    if (is_internal(error)) throw;
    return std::nullopt;
  }
}

bool ShippedSet::has(const Plan& plan) const {
  const std::vector<uint64_t> programs = program_ids(plan);
  return std::all_of(programs.begin(), programs.end(),
                     [this](uint64_t program) { return programs_.count(program) > 0; });
}

void ShippedSet::add(const Plan& plan) {
  if (has(plan)) return;
  const std::vector<uint64_t> programs = program_ids(plan);
  programs_.insert(programs.begin(), programs.end());
  kernels_.push_back({plan.workload, plan.config, plan.options.places, programs});
}

}  // namespace tilewright
