#include "search/search_state.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "model/estimate.hpp"
#include "search/candidates.hpp"
#include "stats/sample.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {

bool SearchState::is_spent(size_t more) const {
  return policy_.is_spent(static_cast<int64_t>(measured_.size() + more));
}

std::vector<Contender> SearchState::admit(const std::vector<TileConfig>& configs) {
  return admission_.admit(configs, best_us_);
}

std::vector<Contender> SearchState::admit_incumbent() {
  if (!policy_.incumbent) return {};
  const TileConfig& incumbent = *policy_.incumbent;
  if (const auto rejection = reject_workload(workload_, incumbent, runner_.device())) {
    progress_.note(format("the incumbent is skipped: {}", rejection->reason));
    return {};
  }
  if (const std::string why = why_requirement_fails(policy_.require, workload_, incumbent);
      !why.empty()) {
    progress_.note(
        format("the incumbent is skipped: --require {}: {}", to_string(policy_.require), why));
    return {};
  }
  std::vector<Contender> admitted = admit({incumbent});
  incumbent_runs_ = !admitted.empty();
  return admitted;
}

std::vector<Contender> SearchState::admit_within_budget(const std::vector<TileConfig>& known,
                                                        const std::vector<TileConfig>& variants) {
  std::vector<TileConfig> configs = known;
  for (const TileConfig& variant : variants) {
    if (is_spent(configs.size() - known.size())) break;
    if (!contains(configs, variant)) configs.push_back(variant);
  }
  return admit(configs);
}

bool SearchState::store_prediction(const TileConfig& config, const Estimate& predicted) {
  return predicted_.emplace(to_string(config), predicted).second;
}

const Estimate& SearchState::predicted_of(const TileConfig& config) {
  const auto known = predicted_.find(to_string(config));
  if (known != predicted_.end()) return known->second;
  const Plan plan = make_plan(workload_, config, runner_.device());
  return predicted_[to_string(config)] = estimate(plan, runner_.device());
}

Race SearchState::run_race(const std::string& phase, std::vector<Contender> contenders,
                           RacePatience patience) {
  for (const Contender& contender : contenders) measured_.insert(contender.name);
  rounds_done_ = 0;
  policy_.between_races();
  Race race(runner_, std::move(contenders), policy_.seed + races_++,
            [this] { progress_.advance(rounds_done_++, best_us_); });
  tilewright::run_race(race, patience, [&](int64_t rounds) {
    if (rounds_done_ > 0) best_us_ = race.best_us();
    progress_.begin(phase, rounds);
  });
  best_us_ = race.best_us();
  withdraw_failed(race.entries());
  if (race.racing_by_median().empty()) throw admission_.nothing_runs();
  note_times(race);
  return race;
}

void SearchState::withdraw_failed(const std::vector<RaceEntry>& entries) {
  for (const RaceEntry& entry : entries) {
    if (!entry.failure.empty()) admission_.withdraw(entry);
  }
}

std::vector<TileConfig> SearchState::race_leaders(const std::string& phase,
                                                  std::vector<Contender> contenders, size_t count) {
  Race race = run_race(phase, std::move(contenders), policy_.race > 0 ? kShortRace : kKernelRace);
  race.keep_fastest(count);
  note_rivals(race);
  std::vector<TileConfig> configs;
  for (const RaceEntry* const entry : race.racing_by_median()) {
    configs.push_back(*entry->contender.config);
  }
  return configs;
}

std::vector<TileConfig> SearchState::race_kernels(const std::vector<Contender>& kernels) {
  constexpr size_t kLeaders = 6;
  if (kernels.empty()) throw admission_.nothing_runs();
  return race_leaders("race", kernels, kLeaders);
}

// Keeps configs close to the fastest of a race: a confirmation heats the device more than any race
// before it, and then a kernel that draws less power passes one that led.
void SearchState::note_rivals(const Race& race) {
  // A slower config may draw less power.
  const double near_enough = policy_.objective == Objective::Time ? 1.03 : 1.15;
  const RaceEntry* const fastest = race.racing_by_median().front();
  for (const RaceEntry* const entry : race.ours_by_median()) {
    const double ratio = paired_ratio(entry->samples_us, fastest->samples_us, 0.5).ratio;
    if (ratio <= near_enough) rivals_.emplace_back(ratio, *entry->contender.config);
  }
  std::stable_sort(rivals_.begin(), rivals_.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
}

void SearchState::note_times(const Race& race) {
  const RaceEntry* const fastest = race.racing_by_median().front();
  const double fastest_us = median(fastest->samples_us);
  for (const RaceEntry* const entry : race.ours_by_median()) {
    const double ratio = paired_ratio(entry->samples_us, fastest->samples_us, 0.5).ratio;
    raced_[entry->contender.name] = {*entry->contender.config, fastest_us * ratio};
  }
}

std::optional<TileConfig> SearchState::fastest_supported(Stack stack) const {
  const RacedConfig* fastest = nullptr;
  for (const auto& [name, raced] : raced_) {
    if (fastest != nullptr && fastest->us <= raced.us) continue;
    if (why_unsupported(stack, workload_, raced.config).empty()) fastest = &raced;
  }
  return fastest == nullptr ? std::nullopt : std::optional(fastest->config);
}

std::vector<TileConfig> SearchState::with_rivals(std::vector<TileConfig> finalists) const {
  const size_t wanted = finalists.size() + (policy_.objective == Objective::Time ? 2 : 6);
  for (const std::pair<double, TileConfig>& near : rivals_) {
    const TileConfig& rival = near.second;
    if (finalists.size() == wanted) break;
    const bool is_new =
        std::none_of(finalists.begin(), finalists.end(),
                     [&rival](const TileConfig& other) { return same_tile(other, rival); });
    if (is_new) finalists.push_back(rival);
  }
  if (incumbent_runs_ && !contains(finalists, *policy_.incumbent)) {
    finalists.push_back(*policy_.incumbent);
  }
  for (size_t i = 0, count = finalists.size(); i < count; ++i) {
    const TileConfig plain = without_l2_requests(finalists[i]);
    const bool has_run = measured_.contains(to_string(plain));
    if (has_run && !contains(finalists, plain)) finalists.push_back(plain);
  }
  return finalists;
}

}  // namespace tilewright
