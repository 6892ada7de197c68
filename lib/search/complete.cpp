#include "search/complete.hpp"

#include "base/error.hpp"
#include "search/rank.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

Ranking rank_request(const ConfigRequest& request, const Workload& workload,
                     const DeviceSpec& device) {
  return rank(workload, requested_spaces(request), device);
}

}  // namespace

std::optional<TileConfig> find_config(const ConfigRequest& request, const Workload& workload,
                                      const DeviceSpec& device) {
  if (reject_group(workload)) return std::nullopt;
  const Ranking ranking = rank_request(request, workload, device);
  if (ranking.kernels.empty()) return std::nullopt;
  return ranking.kernels.front().config;
}

TileConfig complete_config(const ConfigRequest& request, const Workload& workload,
                           const DeviceSpec& device) {
  if (const auto rejection = reject_group(workload)) throw usage_error(rejection->reason);
  const Ranking ranking = rank_request(request, workload, device);
  if (!ranking.kernels.empty()) return ranking.kernels.front().config;
  throw usage_error(why_nothing_legal(ranking.enumeration, workload, device));
}

}  // namespace tilewright
