#include "search/predict.hpp"

#include <utility>

#include "base/error.hpp"

namespace tilewright {

Ranking rank_required(const Workload& problem, const TunePolicy& policy, const DeviceSpec& device,
                      std::optional<size_t> most) {
  Enumeration found = enumerate_required(policy.require, problem, policy.spaces, device);
  if (found.kernels.empty()) {
    throw Error(ExitCode::No, why_nothing_legal(found, problem, device));
  }
  return rank(problem, std::move(found), policy.spaces, device, most);
}

Ranking rank_to_tune(const Workload& problem, const TunePolicy& policy, const DeviceSpec& device) {
  constexpr size_t kMaxPriced = 64;  // kernels of groups and updates
  return rank_required(problem, policy, device, kMaxPriced);
}

Considered considered_of(const Enumeration& enumeration) {
  return {.enumerated = enumeration.enumerated, .rejected = enumeration.rejected, .measured = 0};
}

TuneResult predict(const Workload& problem, const DeviceSpec& device, const TunePolicy& policy) {
  const Ranking ranking = rank_required(problem, policy, device);
  TuneResult result;
  result.entry.problem = problem;
  result.entry.choice = ranking.kernels.front().config;
  result.entry.determinism = determinism_of(result.entry.choice.decomposition);
  result.entry.required = to_string(policy.require);
  result.entry.predicted = ranking.kernels.front().predicted;
  result.entry.considered = considered_of(ranking.enumeration);
  for (const RankedConfig& ranked : ranking.kernels) {
    result.rows.push_back({.config = ranked.config,
                           .predicted = ranked.predicted,
                           .timing = std::nullopt,
                           .ratio = std::nullopt});
  }
  return result;
}

}  // namespace tilewright
