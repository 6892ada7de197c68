#include "search/complete.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "search/rank.hpp"

namespace tilewright {

TileConfig complete_config(const ConfigRequest& request, const Problem& problem,
                           const DeviceSpec& device) {
  const Ranking ranking = rank(problem, restricted(sm90_space(), request), device);
  if (!ranking.kernels.empty()) return ranking.kernels.front().config;
  const auto& rejected = ranking.enumeration.rejected;
  const auto most =
      std::max_element(rejected.begin(), rejected.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  throw usage_error(format("no legal config for {} on {}: rule {}: {}", to_string(problem),
                           device.name, most->first, ranking.enumeration.examples.at(most->first)));
}

}  // namespace tilewright
