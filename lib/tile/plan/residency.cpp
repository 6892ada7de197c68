#include "tile/plan/residency.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace tilewright {

std::string why_not_resident(const Plan& plan, int64_t resident) {
  const int64_t clusters = resident / plan.cluster_size;
  if (clusters == 0) {
    return format("the device cannot hold {} of this kernel",
                  plan.cluster_size == 1 ? "a CTA" : format("a cluster of {}", plan.cluster_size));
  }
  if (plan.division() == tw::Division::None || !tw::waits_for_all_in_memory(plan.reduction))
    return "";
  int64_t slices = 1;
  for (const PlannedProblem& p : plan.problems) slices = std::max<int64_t>(slices, p.work.slices);
  if (slices <= clusters) return "";
  return format("{}: {} slices of a tile wait for each other, and the device holds {} clusters",
                to_string(plan.config.decomposition), slices, clusters);
}

}  // namespace tilewright
