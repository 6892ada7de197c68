#include "search/leaders.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "search/admission.hpp"
#include "search/candidates.hpp"
#include "search/strategy.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

// Races configs that no prediction chose.
std::vector<TileConfig> survey(Contest& contest, const Enumeration& enumeration) {
  constexpr size_t kChunk = 64;
  const std::vector<TileConfig> configs =
      LegalConfigs(enumeration, contest.policy().spaces)
          .some(contest.policy().strategy, static_cast<size_t>(contest.policy().most_configs),
                contest.policy().seed);
  std::vector<Contender> admitted = contest.admit_incumbent();
  for (size_t next = 0; next < configs.size() && !contest.is_spent(admitted.size());) {
    std::vector<TileConfig> chunk;
    while (next < configs.size() && chunk.size() < kChunk) chunk.push_back(configs[next++]);
    const std::vector<Contender> more = contest.admit(chunk);
    admitted.insert(admitted.end(), more.begin(), more.end());
  }
  return contest.race_kernels(admitted);
}

// Takes steps of one key from the best predicted kernel, then, within a budget, from the next one.
std::vector<TileConfig> descend(Contest& contest, const Ranking& ranking) {
  constexpr size_t kMostSteps = 12;  // of one race
  Random random(contest.policy().seed);
  const LegalConfigs legal(ranking.enumeration, contest.policy().spaces);
  std::vector<Contender> ends = contest.admit_incumbent();
  std::set<std::string> seen;
  for (const RankedConfig& start : ranking.kernels) {
    if (!ends.empty() && (contest.is_spent(1) || !contest.policy().is_bounded)) break;
    std::vector<Contender> best = contest.admit({start.config});
    while (!best.empty()) {
      seen.insert(best.front().name);
      std::vector<TileConfig> steps;
      std::vector<TileConfig> near = legal.one_key_from(*best.front().config);
      shuffle(std::span<TileConfig>(near), random);
      for (const TileConfig& step : near) {
        if (steps.size() == kMostSteps || contest.is_spent(1 + steps.size())) break;
        if (seen.insert(to_string(step)).second) steps.push_back(step);
      }
      if (steps.empty()) break;
      std::vector<Contender> field = contest.admit(steps);
      field.insert(field.begin(), best.front());
      best = {contender_of(contest.lead("descend", std::move(field), 1).front())};
    }
    ends.insert(ends.end(), best.begin(), best.end());
  }
  return contest.race_kernels(ends);
}

// Compiles and verifies in the given order until enough kernels may race.
std::vector<Contender> admit_kernels(Contest& contest, const std::vector<RankedConfig>& order) {
  const auto wanted = static_cast<size_t>(contest.policy().kernels);
  std::vector<Contender> admitted = contest.admit_incumbent();
  for (size_t next = 0; next < order.size() && admitted.size() < (wanted + 1) / 2;) {
    if (!admitted.empty() && contest.is_spent(admitted.size())) break;
    const size_t end = std::min(next + wanted, order.size());
    std::vector<TileConfig> batch;
    for (; next < end && !(next > 0 && contest.is_spent(admitted.size() + batch.size())); ++next) {
      contest.foresee(order[next].config, order[next].predicted);
      if (order[next].config != contest.policy().incumbent) batch.push_back(order[next].config);
    }
    for (Contender& contender : contest.admit(batch)) {
      admitted.push_back(std::move(contender));
    }
  }
  return admitted;
}

}  // namespace

std::vector<TileConfig> find_leaders(Contest& contest, const Ranking& ranking) {
  if (contest.policy().strategy == Strategy::Local) return descend(contest, ranking);
  if (contest.policy().strategy != Strategy::Model) return survey(contest, ranking.enumeration);
  return contest.race_kernels(admit_kernels(contest, diverse_order(ranking.kernels)));
}

}  // namespace tilewright
