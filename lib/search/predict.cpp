// What the model says before anything runs: what is worth a search, and its own answer.

#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"
#include "search/tuner.hpp"

namespace tilewright {

bool is_wanted(const TileConfig& config, const TunePolicy& policy) {
  return !policy.deterministic || determinism_of(config.decomposition) == "bitwise";
}

Ranking rank_wanted(const Workload& problem, const TunePolicy& policy, const DeviceSpec& device,
                    std::optional<size_t> looked_at) {
  Ranking ranking = rank(problem, policy.spaces, device, looked_at);
  if (ranking.kernels.empty()) {
    throw Error(ExitCode::No, why_nothing_legal(ranking.enumeration, problem, device));
  }
  const auto removed = std::erase_if(ranking.kernels, [&policy](const RankedConfig& kernel) {
    return !is_wanted(kernel.config, policy);
  });
  std::erase_if(ranking.enumeration.kernels,
                [&policy](const LegalKernel& kernel) { return !is_wanted(kernel.config, policy); });
  if (ranking.kernels.empty()) {
    throw Error(ExitCode::No,
                format("{}: every legal config sums in order of arrival; leave --require out",
                       to_string(problem)));
  }
  if (removed > 0) {
    ranking.enumeration.rejected["determinism"] += static_cast<int64_t>(removed);
  }
  return ranking;
}

Ranking rank_to_tune(const Workload& problem, const TunePolicy& policy, const DeviceSpec& device) {
  constexpr size_t kLookedAt = 64;  // kernels of what is no single product
  return rank_wanted(problem, policy, device, kLookedAt);
}

Considered considered_of(const Enumeration& enumeration) {
  return {.enumerated = enumeration.enumerated, .rejected = enumeration.rejected, .measured = 0};
}

TuneResult predict(const Workload& problem, const DeviceSpec& device, const TunePolicy& policy) {
  const Ranking ranking = rank_wanted(problem, policy, device);
  TuneResult result;
  result.entry.problem = problem;
  result.entry.choice = ranking.kernels.front().config;
  result.entry.determinism = determinism_of(result.entry.choice.decomposition);
  result.entry.predicted = ranking.kernels.front().predicted;
  result.entry.considered = considered_of(ranking.enumeration);
  for (const RankedConfig& ranked : ranking.kernels) {
    result.rows.push_back({.config = ranked.config,
                           .predicted_us = ranked.predicted.us,
                           .timing = std::nullopt,
                           .ratio = std::nullopt});
  }
  return result;
}

}  // namespace tilewright
