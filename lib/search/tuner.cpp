#include "search/tuner.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"
#include "search/admission.hpp"
#include "search/alternatives.hpp"
#include "search/candidates.hpp"
#include "search/choice.hpp"
#include "search/objective.hpp"
#include "search/race.hpp"

namespace tilewright {
namespace {

// One problem's search: what is known so far, and the steps that add to it.
class Search {
 public:
  Search(const Workload& problem, Runner& runner, const TunePolicy& policy, Progress& progress)
      : problem_(problem),
        runner_(runner),
        policy_(policy),
        progress_(progress),
        admission_(problem, runner, progress) {
    result_.entry.problem = problem;
  }

  TuneResult run(std::optional<Ranking> known) {
    const Ranking ranking =
        known ? std::move(*known) : rank_to_tune(problem_, policy_, runner_.device());
    result_.entry.considered = considered_of(ranking.enumeration);
    throw_if_interrupted();
    progress_.begin("prepare", 1);
    runner_.prepare(problem_);
    conclude(with_rivals(find_leaders(ranking)));
    read_counters();
    return std::move(result_);
  }

 private:
  std::vector<TileConfig> find_leaders(const Ranking& ranking) {
    if (policy_.strategy == Strategy::Local) return descend(ranking);
    if (policy_.strategy != Strategy::Model) return survey(ranking.enumeration);
    std::vector<TileConfig> leaders = race_kernels(admit_kernels(diverse_order(ranking.kernels)));
    if (!is_spent()) leaders = race_neighbours(leaders, ranking.enumeration);
    if (!is_spent()) leaders = race_variants(leaders, ranking.enumeration);
    return leaders;
  }

  // Races configs that no prediction chose.
  std::vector<TileConfig> survey(const Enumeration& enumeration) {
    constexpr size_t kChunk = 64;
    const std::vector<TileConfig> configs =
        LegalConfigs(enumeration, policy_.spaces)
            .some(policy_.strategy, static_cast<size_t>(policy_.most_configs), policy_.seed);
    std::vector<Contender> admitted = admit_incumbent();
    for (size_t next = 0; next < configs.size() && !is_spent(admitted.size());) {
      std::vector<TileConfig> chunk;
      while (next < configs.size() && chunk.size() < kChunk) chunk.push_back(configs[next++]);
      const std::vector<Contender> more = admission_.admit(chunk, best_us_);
      admitted.insert(admitted.end(), more.begin(), more.end());
    }
    return race_kernels(admitted);
  }

  // Steps of one key from the best predicted kernel on, then from the next one within a budget.
  std::vector<TileConfig> descend(const Ranking& ranking) {
    constexpr size_t kMostSteps = 12;  // of one race
    Random random(policy_.seed);
    const LegalConfigs legal(ranking.enumeration, policy_.spaces);
    std::vector<Contender> ends = admit_incumbent();
    std::set<std::string> seen;
    for (const RankedConfig& start : ranking.kernels) {
      if (!ends.empty() && (is_spent(1) || !policy_.is_bounded)) break;
      std::vector<Contender> best = admission_.admit({start.config}, best_us_);
      while (!best.empty()) {
        seen.insert(best.front().name);
        std::vector<TileConfig> steps;
        std::vector<TileConfig> near = legal.one_key_from(*best.front().config);
        shuffle(std::span<TileConfig>(near), random);
        for (const TileConfig& step : near) {
          if (steps.size() == kMostSteps || is_spent(1 + steps.size())) break;
          if (seen.insert(to_string(step)).second) steps.push_back(step);
        }
        if (steps.empty()) break;
        std::vector<Contender> field = admission_.admit(steps, best_us_);
        field.insert(field.begin(), best.front());
        Race race = settle("descend", std::move(field), kKernels);
        race.keep_fastest(1);
        note_rivals(race);
        best = {race.racing_by_median().front()->contender};
      }
      ends.insert(ends.end(), best.begin(), best.end());
    }
    return race_kernels(ends);
  }

  // Whether the budget is, once `more` configs are measured.
  bool is_spent(size_t more = 0) const {
    return policy_.is_spent(static_cast<int64_t>(measured_.size() + more));
  }

  // Compiles and verifies in the given order until enough kernels may race.
  std::vector<Contender> admit_kernels(const std::vector<RankedConfig>& order) {
    const auto wanted = static_cast<size_t>(policy_.kernels);
    std::vector<Contender> admitted = admit_incumbent();
    for (size_t next = 0; next < order.size() && admitted.size() < (wanted + 1) / 2;) {
      if (!admitted.empty() && is_spent(admitted.size())) break;
      const size_t end = std::min(next + wanted, order.size());
      std::vector<TileConfig> batch;
      for (; next < end && !(next > 0 && is_spent(admitted.size() + batch.size())); ++next) {
        predicted_.emplace(to_string(order[next].config), order[next].predicted);
        if (order[next].config != policy_.incumbent) batch.push_back(order[next].config);
      }
      for (Contender& contender : admission_.admit(batch, best_us_)) {
        admitted.push_back(std::move(contender));
      }
    }
    return admitted;
  }

  std::vector<Contender> admit_incumbent() {
    if (!policy_.incumbent) return {};
    const TileConfig& incumbent = *policy_.incumbent;
    if (const auto rejection = reject_workload(problem_, incumbent, runner_.device())) {
      progress_.note(format("the incumbent is left out: {}", rejection->reason));
      return {};
    }
    std::vector<Contender> admitted = admission_.admit({incumbent}, best_us_);
    incumbent_runs_ = !admitted.empty();
    return admitted;
  }

  // How long a race goes on, and by how much more a config has to be slower to leave it.
  struct Patience {
    double slack;
    double most_rounds;
  };

  static constexpr Patience kKernels = {.slack = 0.001, .most_rounds = 120};
  static constexpr Patience kForms = {.slack = 0.002, .most_rounds = 400};

  // Rounds in which configs leave once they are surely slower than the fastest. One that is as fast
  // leaves one race in a hundred or fewer by chance, for a race looks less than ten times.
  Race settle(const std::string& phase, std::vector<Contender> field, Patience patience) {
    constexpr double kConfidence = 0.999;
    constexpr int64_t kFirstRounds = 12;
    constexpr double kBudgetUs = 0.3e6;
    for (const Contender& contender : field) measured_.insert(contender.name);
    rounds_done_ = 0;
    policy_.between_races();
    Race race(runner_, std::move(field), policy_.seed + races_++,
              [this] { progress_.advance(rounds_done_++, best_us_); });
    progress_.begin(phase, kFirstRounds + 1);
    race.warm_up();
    race.run(kFirstRounds);
    race.drop_dominated(kConfidence, patience.slack);
    best_us_ = race.best_us();
    double spent_us = 0;
    for (int64_t done = kFirstRounds; race.racing_by_median().size() > 1;) {
      const double affordable = std::min((kBudgetUs - spent_us) / race.round_us(),
                                         patience.most_rounds - static_cast<double>(done));
      const int64_t next = std::min(done / 2, static_cast<int64_t>(affordable));
      if (next <= 0) break;
      progress_.begin(phase, done + next + 1);
      race.run(next);
      done += next;
      spent_us += static_cast<double>(next) * race.round_us();
      race.drop_dominated(kConfidence, patience.slack);
    }
    best_us_ = race.best_us();
    withdraw_lost(race.lanes());
    if (race.racing_by_median().empty()) throw admission_.nothing_runs();
    return race;
  }

  void withdraw_lost(const std::vector<Lane>& lanes) {
    for (const Lane& lane : lanes) {
      if (!lane.lost.empty()) admission_.withdraw(lane);
    }
  }

  std::vector<TileConfig> race_kernels(const std::vector<Contender>& kernels) {
    constexpr size_t kLeaders = 6;
    if (kernels.empty()) throw admission_.nothing_runs();
    Race race = settle("race", kernels, kKernels);
    race.keep_fastest(kLeaders);
    note_rivals(race);
    return racing(race);
  }

  static std::vector<TileConfig> racing(const Race& race) {
    std::vector<TileConfig> configs;
    for (const Lane* const lane : race.racing_by_median()) {
      configs.push_back(*lane->contender.config);
    }
    return configs;
  }

  // The first leaders against what is a step from them.
  std::vector<TileConfig> race_neighbours(const std::vector<TileConfig>& leaders,
                                          const Enumeration& enumeration) {
    constexpr size_t kExpanded = 2;
    std::vector<TileConfig> variants;
    for (size_t i = 0; i < std::min(leaders.size(), kExpanded); ++i) {
      for (const RankedConfig& neighbour :
           neighbours(problem_, leaders[i], policy_.spaces, runner_.device())) {
        const bool is_new =
            predicted_.emplace(to_string(neighbour.config), neighbour.predicted).second;
        if (!is_new || !is_wanted(neighbour.config, policy_)) continue;
        variants.push_back(neighbour.config);
        if (!is_enumerated(neighbour.config, enumeration)) {
          ++result_.entry.considered.enumerated;
        }
      }
    }
    if (variants.empty()) return leaders;
    Race race = settle("refine", field_of(leaders, variants), kKernels);
    race.keep_fastest(leaders.size());
    note_rivals(race);
    return racing(race);
  }

  // The leaders with other rasters, then the best of those with other requests of L2.
  std::vector<TileConfig> race_variants(const std::vector<TileConfig>& leaders,
                                        const Enumeration& enumeration) {
    constexpr size_t kExpanded = 4;
    std::vector<TileConfig> variants;
    for (size_t i = 0; i < std::min(leaders.size(), kExpanded); ++i) {
      for (const RankedConfig& variant : raster_variants(
               problem_, leaders[i], rasters_of(leaders[i], enumeration), runner_.device())) {
        predicted_.emplace(to_string(variant.config), variant.predicted);
        variants.push_back(variant.config);
      }
    }
    std::vector<TileConfig> best = race_forms(leaders, variants);
    if (is_group(problem_)) best = race_forms(best, schedules_of(best));
    best = race_forms(best, unpredicted(best, other_evictions));
    return race_forms(best, unpredicted(best, other_promotions));
  }

  std::vector<TileConfig> schedules_of(const std::vector<TileConfig>& configs) {
    std::vector<TileConfig> all;
    for (const TileConfig& config : configs) {
      for (const TileConfig& other :
           other_schedules(problem_, config, policy_.spaces, runner_.device())) {
        all.push_back(other);
      }
    }
    return all;
  }

  // Variants that the model does not tell from their configs.
  std::vector<TileConfig> unpredicted(const std::vector<TileConfig>& configs,
                                      decltype(other_evictions)& variants_of) {
    std::vector<TileConfig> all;
    for (const TileConfig& config : configs) {
      for (const TileConfig& variant : variants_of(config, policy_.spaces)) {
        predicted_.emplace(to_string(variant), predicted_of(config));
        all.push_back(variant);
      }
    }
    return all;
  }

  // They depend on the grid alone.
  static std::vector<Raster> rasters_of(const TileConfig& config, const Enumeration& enumeration) {
    for (const LegalKernel& kernel : enumeration.kernels) {
      if (kernel.config.family == config.family && kernel.config.cta == config.cta &&
          kernel.config.cluster == config.cluster && kernel.config.swap_ab == config.swap_ab) {
        return kernel.rasters;
      }
    }
    return {};
  }

  std::vector<Contender> field_of(const std::vector<TileConfig>& known,
                                  const std::vector<TileConfig>& variants) {
    std::vector<TileConfig> configs = known;
    for (const TileConfig& variant : variants) {
      if (is_spent(configs.size() - known.size())) break;
      if (!contains(configs, variant)) configs.push_back(variant);
    }
    return admission_.admit(configs, best_us_);
  }

  // Kernels in several forms: of each of the fastest kernels the plainest forms that time does not
  // tell from its fastest, by narrow and by wide measures, so that whatever the noise was the form
  // that the confirmation will choose is among those from which the next race starts.
  std::vector<TileConfig> race_forms(const std::vector<TileConfig>& known,
                                     const std::vector<TileConfig>& variants) {
    constexpr size_t kMostKernels = 4;
    const Race race = settle("refine", field_of(known, variants), kForms);
    std::vector<const Lane*> left = race.racing_by_median();
    std::vector<TileConfig> forms;
    for (size_t kernel = 0; !left.empty() && kernel < kMostKernels; ++kernel) {
      const auto others = std::stable_partition(
          left.begin(), left.end(), [first = *left.front()->contender.config](const Lane* lane) {
            return same_kernel(*lane->contender.config, first);
          });
      const std::vector<const Lane*> lanes(left.begin(), others);
      for (const auto& ties : {tie_set(lanes, 0.5, 0.0003), tie_set(lanes, 0.999, 0),
                               tie_set(lanes, 0.99, kForms.slack)}) {
        const Lane* const form = plainest(ties, problem_, runner_.device());
        if (!contains(forms, *form->contender.config)) forms.push_back(*form->contender.config);
      }
      left.erase(left.begin(), others);
    }
    return forms;
  }

  // Who ran near the fastest of a race, by tile: a confirmation heats the device as no race before
  // it does, and then a kernel that draws less power passes one that led.
  void note_rivals(const Race& race) {
    // One that is slower may still draw less.
    const double near_enough = policy_.objective == Objective::Time ? 1.03 : 1.15;
    const Lane* const fastest = race.racing_by_median().front();
    for (const Lane* const lane : race.ours_by_median()) {
      const double ratio = paired_ratio(lane->samples_us, fastest->samples_us, 0.5).ratio;
      if (ratio <= near_enough) rivals_.emplace_back(ratio, *lane->contender.config);
    }
    std::stable_sort(rivals_.begin(), rivals_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
  }

  // The finalists: the leaders, the best of other tiles, who the user named, and what asks nothing
  // of L2 where a race, perhaps by its noise, preferred a form that does.
  std::vector<TileConfig> with_rivals(std::vector<TileConfig> finalists) const {
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
      const TileConfig plain = without_requests(finalists[i]);
      const bool has_run = measured_.contains(to_string(plain));
      if (has_run && !contains(finalists, plain)) finalists.push_back(plain);
    }
    return finalists;
  }

  const Estimate& predicted_of(const TileConfig& config) {
    const auto known = predicted_.find(to_string(config));
    if (known != predicted_.end()) return known->second;
    const Plan plan = make_plan(problem_, config, runner_.device());
    return predicted_[to_string(config)] = estimate(plan, runner_.device());
  }

  void conclude(const std::vector<TileConfig>& finalists) {
    const ConfirmationPolicy policy{.rounds = policy_.rounds,
                                    .seed = policy_.seed + races_,
                                    .between_races = policy_.between_races,
                                    .incumbent = policy_.incumbent,
                                    .guests = [this](const TileConfig& choice) {
                                      return admission_.admit(configs_of(alternatives_of(choice)),
                                                              best_us_);
                                    }};
    progress_.begin("confirm", policy_.rounds);
    const Confirmation confirmation = confirm(
        problem_, runner_, admission_.admit(finalists, best_us_), runner_.reference_contenders(),
        policy, [this, total = int64_t{0}](int64_t done, int64_t expected) mutable {
          if (expected != total) progress_.begin("confirm", total = expected);
          progress_.advance(done, best_us_);
        });
    policy_.between_races();
    withdraw_lost(confirmation.lost);
    if (confirmation.choice == nullptr) throw admission_.nothing_runs();
    result_.rounds = confirmation.rounds;
    if (policy_.objective != Objective::Time) measure_joules(confirmation);
    take_entry(confirmation);
    for (const Lane* const lane : confirmation.ours) {
      result_.rows.push_back(row_of(*lane, confirmation.reference));
    }
  }

  void measure_joules(const Confirmation& confirmation) {
    std::vector<const Lane*> lanes = confirmation.ours;
    if (confirmation.reference) lanes.push_back(confirmation.reference);
    energies_ = measure_energies(runner_, lanes, [this](int64_t done, int64_t total) {
      if (done == 0) progress_.begin("energy", total);
      progress_.advance(done, best_us_);
    });
  }

  const Lane& choose(const Confirmation& confirmation) const {
    if (policy_.objective == Objective::Time) return *confirmation.choice;
    return *plainest(least_costly(confirmation.ours, policy_.objective, energies_), problem_,
                     runner_.device());
  }

  std::optional<Energy> energy_of(const Lane& lane) const {
    const auto known = energies_.find(lane.contender.name);
    return known == energies_.end() ? std::nullopt : std::optional(median_energy(known->second));
  }

  void take_entry(const Confirmation& confirmation) {
    TuneEntry& entry = result_.entry;
    const Lane& choice = choose(confirmation);
    entry.choice = *choice.contender.config;
    entry.determinism = determinism_of(entry.choice.decomposition);
    entry.predicted = predicted_of(entry.choice);
    entry.timing = summarize(problem_, choice);
    entry.objective = policy_.objective;
    entry.energy = energy_of(choice);
    entry.verified = admission_.verification_of(entry.choice);
    entry.build = admission_.build_of(entry.choice);
    entry.wrong = admission_.wrong();
    for (const auto& [reason, count] : admission_.rejected()) {
      entry.considered.rejected[reason] += count;
    }
    entry.considered.measured = static_cast<int64_t>(measured_.size());
    if (confirmation.reference != nullptr) {
      const Lane& reference = *confirmation.reference;
      entry.reference =
          ReferenceResult{.name = reference.contender.name,
                          .median_us = median(reference.samples_us),
                          .ratio = paired_ratio(reference.samples_us, choice.samples_us),
                          .counters = std::nullopt,
                          .energy = energy_of(reference)};
      reference_ = reference.contender;
    }
    for (const Lane& lane : confirmation.lanes) {
      if (!lane.contender.config) {
        entry.references.push_back({lane.contender.name, median(lane.samples_us)});
      }
    }
    entry.ties = policy_.objective == Objective::Time
                     ? ties_with(choice, confirmation)
                     : equal_costs(confirmation.ours, choice, policy_.objective, energies_);
    const std::vector<Alternative> others = alternatives_of(entry.choice);
    if (&choice == confirmation.choice) entry.alternatives = timed(others, confirmation);
  }

  std::vector<Alternative> alternatives_of(const TileConfig& choice) const {
    return schedule_alternatives(problem_, choice, policy_.spaces, runner_.device());
  }

  TuneRow row_of(const Lane& lane, const Lane* reference) {
    TuneRow row{.config = *lane.contender.config,
                .predicted_us = predicted_of(*lane.contender.config).us,
                .timing = summarize(problem_, lane),
                .ratio = std::nullopt,
                .energy = energy_of(lane)};
    if (reference != nullptr) row.ratio = paired_ratio(reference->samples_us, lane.samples_us);
    return row;
  }

  // Counters cost replays, so they come after everything that is timed.
  void read_counters() {
    if (!policy_.counters) return;
    throw_if_interrupted();
    progress_.begin("counters", reference_ ? 2 : 1);
    const CounterReading ours = runner_.count(contender_of(result_.entry.choice));
    result_.entry.counters = ours.counters;
    result_.entry.why_no_counters = ours.why_not;
    if (reference_ && ours.counters) {
      progress_.advance(1, best_us_);
      result_.entry.reference->counters = runner_.count(*reference_).counters;
    }
  }

  Workload problem_;
  Runner& runner_;
  const TunePolicy& policy_;
  Progress& progress_;
  TuneResult result_;
  Admission admission_;
  std::optional<Contender> reference_;  // the best one of the confirmation
  std::map<std::string, Estimate> predicted_;
  Energies energies_;  // of the finalists and the reference
  std::set<std::string> measured_;
  std::vector<std::pair<double, TileConfig>> rivals_;  // by their time over their race's fastest's
  bool incumbent_runs_ = false;
  double best_us_ = 0;
  int64_t rounds_done_ = 0;
  uint64_t races_ = 0;
};

}  // namespace

TuneResult tune(const Workload& problem, Runner& runner, const TunePolicy& policy,
                Progress& progress, std::optional<Ranking> ranking) {
  return Search(problem, runner, policy, progress).run(std::move(ranking));
}

}  // namespace tilewright
