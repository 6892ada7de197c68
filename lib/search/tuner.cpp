#include "search/tuner.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"
#include "search/admission.hpp"
#include "search/candidates.hpp"
#include "search/choice.hpp"
#include "search/race.hpp"

namespace tilewright {
namespace {

bool is_wanted(const TileConfig& config, const TunePolicy& policy) {
  return !policy.deterministic || determinism_of(config.decomposition) == "bitwise";
}

Ranking rank_or_refuse(const Problem& problem, const TunePolicy& policy, const DeviceSpec& device) {
  Ranking ranking = rank(problem, policy.spaces, device);
  if (ranking.kernels.empty()) {
    throw Error(ExitCode::No, why_nothing_legal(ranking.enumeration, problem, device));
  }
  const auto removed = std::erase_if(ranking.kernels, [&policy](const RankedConfig& kernel) {
    return !is_wanted(kernel.config, policy);
  });
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

Considered considered_of(const Enumeration& enumeration) {
  return {.enumerated = enumeration.enumerated, .rejected = enumeration.rejected, .measured = 0};
}

bool contains(const std::vector<TileConfig>& configs, const TileConfig& config) {
  return std::find(configs.begin(), configs.end(), config) != configs.end();
}

// Variants of one kernel differ in what can be changed at launch.
bool same_kernel(TileConfig a, const TileConfig& b) {
  a.raster = b.raster;
  a.l2_promotion_bytes = b.l2_promotion_bytes;
  a.evict_first = b.evict_first;
  return a == b;
}

// One problem's search: what is known so far, and the steps that add to it.
class Search {
 public:
  Search(const Problem& problem, Runner& runner, const TunePolicy& policy, Progress& progress)
      : problem_(problem),
        runner_(runner),
        policy_(policy),
        progress_(progress),
        admission_(problem, runner, progress) {
    result_.entry.problem = problem;
  }

  TuneResult run() {
    const Ranking ranking = rank_or_refuse(problem_, policy_, runner_.device());
    result_.entry.considered = considered_of(ranking.enumeration);
    throw_if_interrupted();
    progress_.begin("prepare", 1);
    runner_.prepare(problem_);
    std::vector<TileConfig> leaders = race_kernels(admit_kernels(diverse_order(ranking.kernels)));
    if (!is_spent()) leaders = race_neighbours(leaders, ranking.enumeration);
    if (!is_spent()) leaders = race_variants(leaders, ranking.enumeration);
    conclude(with_rivals(leaders));
    read_counters();
    return std::move(result_);
  }

 private:
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
    if (admitted.empty()) throw admission_.nothing_runs();
    return admitted;
  }

  std::vector<Contender> admit_incumbent() {
    if (!policy_.incumbent) return {};
    const TileConfig& incumbent = *policy_.incumbent;
    if (const auto rejection = reject_config(problem_, incumbent, runner_.device())) {
      progress_.note(format("the incumbent is left out: {}", rejection->reason));
      return {};
    }
    predicted_.emplace(to_string(incumbent), estimate(problem_, incumbent, runner_.device()));
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

  // Neighbours may split K as the space does not.
  static bool is_enumerated(const TileConfig& config, const Enumeration& enumeration) {
    return std::any_of(
        enumeration.kernels.begin(), enumeration.kernels.end(),
        [&](const LegalKernel& kernel) { return same_kernel(kernel.config, config); });
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
    best = race_forms(best, unpredicted(best, other_evictions));
    return race_forms(best, unpredicted(best, other_promotions));
  }

  // Variants that the model does not tell from their configs.
  std::vector<TileConfig> unpredicted(const std::vector<TileConfig>& configs,
                                      decltype(other_evictions)& variants_of) {
    std::vector<TileConfig> all;
    for (const TileConfig& config : configs) {
      for (const TileConfig& variant : variants_of(config, policy_.spaces)) {
        const Estimate predicted = predicted_.at(to_string(config));
        predicted_.emplace(to_string(variant), predicted);
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
    constexpr double kNear = 1.03;
    const Lane* const fastest = race.racing_by_median().front();
    for (const Lane* const lane : race.ours_by_median()) {
      const double ratio = paired_ratio(lane->samples_us, fastest->samples_us, 0.5).ratio;
      if (ratio <= kNear) rivals_.emplace_back(ratio, *lane->contender.config);
    }
    std::stable_sort(rivals_.begin(), rivals_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
  }

  // The finalists: the leaders, the best of other tiles, and who the user named.
  std::vector<TileConfig> with_rivals(std::vector<TileConfig> finalists) const {
    constexpr size_t kRivals = 2;
    const size_t wanted = finalists.size() + kRivals;
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
    return finalists;
  }

  void conclude(const std::vector<TileConfig>& finalists) {
    const ConfirmationPolicy policy{.rounds = policy_.rounds,
                                    .seed = policy_.seed + races_,
                                    .between_races = policy_.between_races,
                                    .incumbent = policy_.incumbent};
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
    take_entry(confirmation);
    for (const Lane* const lane : confirmation.ours) {
      result_.rows.push_back(row_of(*lane, confirmation.reference));
    }
  }

  void take_entry(const Confirmation& confirmation) {
    TuneEntry& entry = result_.entry;
    const Lane& choice = *confirmation.choice;
    entry.choice = *choice.contender.config;
    entry.determinism = determinism_of(entry.choice.decomposition);
    entry.predicted = predicted_.at(choice.contender.name);
    entry.timing = summarize(workload_of(problem_), choice.samples_us);
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
                          .counters = std::nullopt};
      reference_ = reference.contender;
    }
    for (const Lane* const lane : confirmation.ours) {
      if (lane != &choice) add_tie(*lane, choice);
    }
  }

  void add_tie(const Lane& other, const Lane& choice) {
    const PairedRatio ratio = paired_ratio(other.samples_us, choice.samples_us);
    const bool undecided = ratio.interval.low <= 1 && 1 <= ratio.interval.high;
    if (undecided || std::abs(ratio.ratio - 1) <= kSameWithin) {
      result_.entry.ties.push_back({*other.contender.config, ratio.ratio});
    }
  }

  TuneRow row_of(const Lane& lane, const Lane* reference) const {
    TuneRow row{.config = *lane.contender.config,
                .predicted_us = predicted_.at(lane.contender.name).us,
                .timing = summarize(workload_of(problem_), lane.samples_us),
                .ratio = std::nullopt};
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

  Problem problem_;
  Runner& runner_;
  const TunePolicy& policy_;
  Progress& progress_;
  TuneResult result_;
  Admission admission_;
  std::optional<Contender> reference_;  // the best one of the confirmation
  std::map<std::string, Estimate> predicted_;
  std::set<std::string> measured_;
  std::vector<std::pair<double, TileConfig>> rivals_;  // by their time over their race's fastest's
  bool incumbent_runs_ = false;
  double best_us_ = 0;
  int64_t rounds_done_ = 0;
  uint64_t races_ = 0;
};

}  // namespace

TuneResult tune(const Problem& problem, Runner& runner, const TunePolicy& policy,
                Progress& progress) {
  return Search(problem, runner, policy, progress).run();
}

TuneResult predict(const Problem& problem, const DeviceSpec& device, const TunePolicy& policy) {
  const Ranking ranking = rank_or_refuse(problem, policy, device);
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

Timing summarize(const Workload& workload, const std::vector<double>& samples_us) {
  Timing timing;
  timing.median_us = median(samples_us);
  timing.ci_us = median_interval(samples_us);
  timing.tflops = flops(workload) / timing.median_us / 1e6;
  return timing;
}

}  // namespace tilewright
