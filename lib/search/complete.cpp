#include "search/complete.hpp"

#include "base/error.hpp"
#include "search/rank.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {

TileConfig complete_config(const ConfigRequest& request, const Problem& problem,
                           const DeviceSpec& device) {
  const Ranking ranking = rank(problem, requested_spaces(request), device);
  if (!ranking.kernels.empty()) return ranking.kernels.front().config;
  throw usage_error(why_nothing_legal(ranking.enumeration, problem, device));
}

}  // namespace tilewright
