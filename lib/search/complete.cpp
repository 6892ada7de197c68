#include "search/complete.hpp"

#include "base/error.hpp"
#include "search/rank.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {

Completion complete(const ConfigRequest& request, const Workload& workload,
                    const DeviceSpec& device) {
  if (const auto rejection = reject_workload_kind(workload)) {
    return {.config = {}, .runs_somehow = false, .why_not = rejection->reason};
  }
  const Ranking ranking = rank(workload, requested_spaces(request), device);
  if (!ranking.kernels.empty()) return {.config = ranking.kernels.front().config};
  return {.config = {}, .why_not = why_nothing_legal(ranking.enumeration, workload, device)};
}

TileConfig complete_config(const ConfigRequest& request, const Workload& workload,
                           const DeviceSpec& device) {
  const Completion completion = complete(request, workload, device);
  if (!completion.config) throw usage_error(completion.why_not);
  return *completion.config;
}

}  // namespace tilewright
