#include "search/leaders.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "search/admission.hpp"
#include "search/candidates.hpp"
#include "search/shortlist.hpp"
#include "search/strategy.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

// Races configs that no prediction chose.
std::vector<TileConfig> survey(SearchState& state, const Enumeration& enumeration) {
  constexpr size_t kChunk = 64;
  const std::vector<TileConfig> configs =
      LegalConfigs(enumeration, state.policy().spaces)
          .some(state.policy().strategy, static_cast<size_t>(state.policy().most_configs),
                state.policy().seed);
  std::vector<Contender> admitted = state.admit_incumbent();
  for (size_t next = 0; next < configs.size() && !state.is_spent(admitted.size());) {
    std::vector<TileConfig> chunk;
    while (next < configs.size() && chunk.size() < kChunk) chunk.push_back(configs[next++]);
    const std::vector<Contender> more = state.admit(chunk);
    admitted.insert(admitted.end(), more.begin(), more.end());
  }
  return state.race_kernels(admitted);
}

// Takes steps of one key from the best predicted kernel, then, within a budget, from the next one.
std::vector<TileConfig> descend(SearchState& state, const Ranking& ranking) {
  constexpr size_t kMaxSteps = 12;  // of one race
  Random random(state.policy().seed);
  const LegalConfigs legal(ranking.enumeration, state.policy().spaces);
  std::vector<Contender> ends = state.admit_incumbent();
  std::set<std::string> seen;
  for (const RankedConfig& start : ranking.kernels) {
    if (!ends.empty() && (state.is_spent(1) || !state.policy().is_bounded)) break;
    std::vector<Contender> best = state.admit({start.config});
    while (!best.empty()) {
      seen.insert(best.front().name);
      std::vector<TileConfig> steps;
      std::vector<TileConfig> near = legal.one_key_from(*best.front().config);
      shuffle(std::span<TileConfig>(near), random);
      for (const TileConfig& step : near) {
        if (steps.size() == kMaxSteps || state.is_spent(1 + steps.size())) break;
        if (seen.insert(to_string(step)).second) steps.push_back(step);
      }
      if (steps.empty()) break;
      std::vector<Contender> contenders = state.admit(steps);
      contenders.insert(contenders.begin(), best.front());
      best = {contender_of(state.race_leaders("descend", std::move(contenders), 1).front())};
    }
    ends.insert(ends.end(), best.begin(), best.end());
  }
  return state.race_kernels(ends);
}

// Compiles and verifies in the given order until enough kernels may race.
std::vector<Contender> admit_kernels(SearchState& state, const FirstKernels& first) {
  const std::vector<RankedConfig>& order = first.order;
  const size_t wanted = first.count;
  std::vector<Contender> admitted = state.admit_incumbent();
  for (size_t next = 0; next < order.size() && admitted.size() < (wanted + 1) / 2;) {
    if (!admitted.empty() && state.is_spent(admitted.size())) break;
    const size_t end = std::min(next + wanted, order.size());
    std::vector<TileConfig> batch;
    for (; next < end && !(next > 0 && state.is_spent(admitted.size() + batch.size())); ++next) {
      state.store_prediction(order[next].config, order[next].predicted);
      if (order[next].config != state.policy().incumbent) batch.push_back(order[next].config);
    }
    for (Contender& contender : state.admit(batch)) {
      admitted.push_back(std::move(contender));
    }
  }
  return admitted;
}

}  // namespace

FirstKernels first_kernels(const Ranking& ranking, const TunePolicy& policy) {
  if (policy.race == 0)
    return {diverse_order(ranking.kernels), static_cast<size_t>(policy.kernels)};
  // More than race, in case that the compiler refuses some.
  constexpr size_t kSpare = 2;
  const auto count = static_cast<size_t>(policy.race);
  return {shortlisted(ranking.kernels, kSpare * count), count};
}

std::vector<RankedConfig> shortlisted(const std::vector<RankedConfig>& kernels, size_t count) {
  std::vector<PricedConfig> priced;
  priced.reserve(kernels.size());
  for (const RankedConfig& kernel : kernels) priced.push_back({kernel.config, kernel.predicted.us});
  std::vector<RankedConfig> list;
  for (const size_t index : shortlist(priced, count)) list.push_back(kernels[index]);
  return list;
}

std::vector<TileConfig> find_leaders(SearchState& state, const Ranking& ranking) {
  if (state.policy().strategy == Strategy::Local) return descend(state, ranking);
  if (state.policy().strategy != Strategy::Model) return survey(state, ranking.enumeration);
  return state.race_kernels(admit_kernels(state, first_kernels(ranking, state.policy())));
}

}  // namespace tilewright
