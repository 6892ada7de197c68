#include "search/tuner.hpp"

#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "search/alternatives.hpp"
#include "search/candidates.hpp"
#include "search/choice.hpp"
#include "search/leaders.hpp"
#include "search/objective.hpp"
#include "search/pinning.hpp"
#include "search/predict.hpp"
#include "search/race.hpp"
#include "search/refinement.hpp"
#include "search/search_state.hpp"

namespace tilewright {
namespace {

// The search of one problem: its phases one after the other, and its answer.
class Search {
 public:
  Search(const Workload& problem, Runner& runner, const TunePolicy& policy,
         ProgressListener& progress)
      : problem_(problem),
        runner_(runner),
        policy_(policy),
        progress_(progress),
        state_(problem, runner, policy, progress) {
    result_.entry.problem = problem;
  }

  TuneResult run(std::optional<Ranking> known) {
    const Ranking ranking =
        known ? std::move(*known) : rank_to_tune(problem_, policy_, runner_.device());
    result_.entry.considered = considered_of(ranking.enumeration);
    throw_if_interrupted();
    progress_.begin("prepare", 1);
    runner_.prepare(problem_);
    std::vector<TileConfig> finalists = find_leaders(state_, ranking);
    if (policy_.strategy == Strategy::Model) {
      Refined refined = refine(state_, finalists, ranking.enumeration);
      result_.entry.considered.enumerated += refined.outside;
      finalists = std::move(refined.leaders);
    }
    conclude(state_.with_rivals(std::move(finalists)));
    read_counters();
    return std::move(result_);
  }

 private:
  void conclude(const std::vector<TileConfig>& finalists) {
    constexpr double kSeconds = 0.5;
    constexpr double kSecondsOfRace = 0.1;
    const ConfirmationPolicy policy{.rounds = policy_.rounds,
                                    .seconds = policy_.race > 0 ? kSecondsOfRace : kSeconds,
                                    .seed = policy_.seed + state_.race_count(),
                                    .between_races = policy_.between_races,
                                    .incumbent = policy_.incumbent,
                                    .observers = [this](const Contender& choice) {
                                      return state_.admit(observers_of(*choice.config));
                                    }};
    progress_.begin("confirm", policy_.rounds);
    const Confirmation confirmation =
        confirm(problem_, runner_, state_.admit(finalists), runner_.reference_contenders(), policy,
                [this, total = int64_t{0}](int64_t done, int64_t expected) mutable {
                  if (expected != total) progress_.begin("confirm", total = expected);
                  progress_.advance(done, state_.best_us());
                });
    policy_.between_races();
    state_.withdraw_failed(confirmation.lost);
    if (confirmation.choice == nullptr) throw state_.admission().nothing_runs();
    result_.rounds = confirmation.rounds;
    if (policy_.objective != Objective::Time) measure_joules(confirmation);
    take_entry(confirmation);
    for (const RaceEntry* const entry : confirmation.ours) {
      result_.rows.push_back(row_of(*entry, confirmation.reference));
    }
  }

  void measure_joules(const Confirmation& confirmation) {
    std::vector<const RaceEntry*> entries = confirmation.ours;
    if (confirmation.reference) entries.push_back(confirmation.reference);
    energies_ = measure_energies(runner_, entries, [this](int64_t done, int64_t total) {
      if (done == 0) progress_.begin("energy", total);
      progress_.advance(done, state_.best_us());
    });
  }

  const RaceEntry& choose(const Confirmation& confirmation) const {
    if (policy_.objective == Objective::Time) return *confirmation.choice;
    return *plainest(least_costly(confirmation.ours, policy_.objective, energies_), problem_,
                     runner_.device());
  }

  std::optional<Energy> energy_of(const RaceEntry& entry) const {
    const auto known = energies_.find(entry.contender.name);
    return known == energies_.end() ? std::nullopt : std::optional(median_energy(known->second));
  }

  void take_entry(const Confirmation& confirmation) {
    TuneEntry& entry = result_.entry;
    const RaceEntry& choice = choose(confirmation);
    entry.choice = *choice.contender.config;
    entry.determinism = determinism_of(entry.choice.decomposition);
    entry.required = to_string(policy_.require);
    entry.predicted = state_.predicted_of(entry.choice);
    entry.timing = summarize(problem_, choice);
    entry.objective = policy_.objective;
    entry.energy = energy_of(choice);
    entry.verified = state_.admission().verification_of(entry.choice);
    entry.build = state_.admission().build_of(entry.choice);
    entry.wrong = state_.admission().wrong();
    for (const auto& [reason, count] : state_.admission().rejected()) {
      entry.considered.rejected[reason] += count;
    }
    entry.considered.measured = state_.measured_count();
    if (confirmation.reference != nullptr) {
      const RaceEntry& reference = *confirmation.reference;
      entry.reference =
          ReferenceResult{.name = reference.contender.name,
                          .median_us = median(reference.samples_us),
                          .ratio = paired_ratio(reference.samples_us, choice.samples_us),
                          .counters = std::nullopt,
                          .energy = energy_of(reference)};
      reference_ = reference.contender;
      if (policy_.objective == Objective::Time && is_product(problem_)) {
        const auto pin =
            pin_of(runner_.library_algorithms(), confirmation.entries, reference, choice);
        if (pin) entry.library_pins = {*pin};
      }
    }
    for (const RaceEntry& raced : confirmation.entries) {
      if (is_reference(raced.contender)) {
        entry.references.push_back({raced.contender.name, median(raced.samples_us)});
      }
    }
    entry.ties = policy_.objective == Objective::Time
                     ? ties_of(choice, confirmation)
                     : equal_costs(confirmation.ours, choice, policy_.objective, energies_);
    const std::vector<Alternative> others = alternatives_of(entry.choice);
    if (&choice != confirmation.choice) return;
    entry.alternatives = timed(others, confirmation);
    entry.exports = exports_of(confirmation);
  }

  static std::vector<Tie> ties_of(const RaceEntry& choice, const Confirmation& confirmation) {
    std::vector<Tie> ties;
    for (const TiedEntry& tied : tied_with(choice, confirmation)) {
      ties.push_back({*tied.entry->contender.config, tied.ratio});
    }
    return ties;
  }

  // The stacks that cannot express the choice, but other configs of the product.
  std::vector<Stack> stacks_without(const TileConfig& choice) const {
    std::vector<Stack> stacks;
    if (!why_not_plain_product(problem_).empty()) return stacks;
    for (const Stack stack : kStacks) {
      if (!why_unsupported(stack, problem_, choice).empty()) stacks.push_back(stack);
    }
    return stacks;
  }

  // Configs that run in the rounds that report the choice, for the user to compare it with.
  std::vector<TileConfig> observers_of(const TileConfig& choice) const {
    std::vector<TileConfig> observers = configs_of(alternatives_of(choice));
    for (const Stack stack : stacks_without(choice)) {
      const std::optional<TileConfig> supported = state_.fastest_supported(stack);
      if (supported && !contains(observers, *supported)) observers.push_back(*supported);
    }
    return observers;
  }

  // The fastest among finalists and observers.
  std::optional<ExportConfig> fastest_supported(Stack stack,
                                                const Confirmation& confirmation) const {
    std::optional<ExportConfig> fastest;
    for (const std::vector<RaceEntry>* const entries :
         {&confirmation.entries, &confirmation.observers}) {
      for (const RaceEntry& entry : *entries) {
        const std::optional<TileConfig>& config = entry.contender.config;
        if (!config || !why_unsupported(stack, problem_, *config).empty()) continue;
        const PairedRatio ratio = paired_ratio(entry.samples_us, confirmation.choice->samples_us);
        if (fastest && fastest->ratio.ratio <= ratio.ratio) continue;
        fastest = {std::string(to_string(stack)), *config, ratio};
      }
    }
    return fastest;
  }

  std::vector<ExportConfig> exports_of(const Confirmation& confirmation) const {
    std::vector<ExportConfig> exports;
    for (const Stack stack : stacks_without(*confirmation.choice->contender.config)) {
      auto fastest = fastest_supported(stack, confirmation);
      if (fastest) exports.push_back(std::move(*fastest));
    }
    return exports;
  }

  std::vector<Alternative> alternatives_of(const TileConfig& choice) const {
    return schedule_alternatives(problem_, choice, policy_.spaces, runner_.device());
  }

  TuneRow row_of(const RaceEntry& entry, const RaceEntry* reference) {
    TuneRow row{.config = *entry.contender.config,
                .predicted = state_.predicted_of(*entry.contender.config),
                .timing = summarize(problem_, entry),
                .ratio = std::nullopt,
                .energy = energy_of(entry)};
    if (reference != nullptr) row.ratio = paired_ratio(reference->samples_us, entry.samples_us);
    return row;
  }

  // Counters need replayed launches, so they come after everything that is timed.
  void read_counters() {
    if (!policy_.counters) return;
    throw_if_interrupted();
    progress_.begin("counters", reference_ ? 2 : 1);
    const CounterReading ours = runner_.count(contender_of(result_.entry.choice));
    result_.entry.counters = ours.counters;
    result_.entry.why_no_counters = ours.why_not;
    if (reference_ && ours.counters) {
      progress_.advance(1, state_.best_us());
      result_.entry.reference->counters = runner_.count(*reference_).counters;
    }
  }

  Workload problem_;
  Runner& runner_;
  const TunePolicy& policy_;
  ProgressListener& progress_;
  TuneResult result_;
  SearchState state_;
  std::optional<Contender> reference_;  // the best one of the confirmation
  Energies energies_;                   // of the finalists and the reference
};

}  // namespace

TuneResult tune(const Workload& problem, Runner& runner, const TunePolicy& policy,
                ProgressListener& progress, std::optional<Ranking> ranking) {
  return Search(problem, runner, policy, progress).run(std::move(ranking));
}

}  // namespace tilewright
