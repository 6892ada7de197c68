#include "search/tuner.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"
#include "search/candidates.hpp"
#include "search/race.hpp"

namespace tilewright {
namespace {

constexpr double kSameWithin = 0.005;  // medians this near are called a tie
constexpr size_t kConfirmed = 3;

Ranking rank_or_refuse(const Problem& problem, const std::vector<SearchSpace>& spaces,
                       const DeviceSpec& device) {
  Ranking ranking = rank(problem, spaces, device);
  if (ranking.kernels.empty()) {
    throw Error(ExitCode::No, why_nothing_legal(ranking.enumeration, problem, device));
  }
  return ranking;
}

Considered considered_of(const Enumeration& enumeration) {
  return {.enumerated = enumeration.enumerated, .rejected = enumeration.rejected, .measured = 0};
}

Contender contender_of(const TileConfig& config) {
  return {.name = to_string(config), .config = config, .reference_algorithm = -1};
}

// One problem's search: what is known so far, and the steps that add to it.
class Search {
 public:
  Search(const Problem& problem, Runner& runner, const TunePolicy& policy, Progress& progress)
      : problem_(problem), runner_(runner), policy_(policy), progress_(progress) {
    result_.entry.problem = problem;
  }

  TuneResult run() {
    const Ranking ranking = rank_or_refuse(problem_, policy_.spaces, runner_.device());
    result_.entry.considered = considered_of(ranking.enumeration);
    throw_if_interrupted();
    progress_.begin("prepare", 1);
    runner_.prepare(problem_);
    references_ = runner_.reference_contenders();
    const std::vector<Contender> kernels = admit_kernels(diverse_order(ranking.kernels));
    const std::vector<TileConfig> leaders =
        race_neighbours(race_kernels(kernels), ranking.enumeration);
    confirm(with_rivals(race_variants(leaders, ranking.enumeration)));
    read_counters();
    return std::move(result_);
  }

 private:
  // Compiles and verifies in the given order until enough kernels may race.
  std::vector<Contender> admit_kernels(const std::vector<RankedConfig>& order) {
    const auto wanted = static_cast<size_t>(policy_.kernels);
    std::vector<Contender> admitted;
    for (size_t next = 0; next < order.size() && admitted.size() < (wanted + 1) / 2;) {
      const size_t end = std::min(next + wanted, order.size());
      std::vector<TileConfig> batch;
      for (; next < end; ++next) {
        batch.push_back(order[next].config);
        predicted_.emplace(to_string(order[next].config), order[next].predicted);
      }
      for (Contender& contender : admit(batch)) admitted.push_back(std::move(contender));
    }
    if (admitted.empty()) throw nothing_runs();
    return admitted;
  }

  Error nothing_runs() const {
    const std::vector<WrongKernel>& wrong = result_.entry.wrong;
    if (!wrong.empty()) {
      return Error(ExitCode::WrongResult,
                   format("{}: all {} kernels that ran computed wrong results; the first is {}: {}",
                          to_string(problem_), wrong.size(), to_string(wrong.front().config),
                          wrong.front().verification.detail));
    }
    return environment_error(
        format("{}: no kernel could run; the last failure: {}", to_string(problem_), failure_));
  }

  // The configs that compile and compute right results.
  std::vector<Contender> admit(const std::vector<TileConfig>& configs) {
    throw_if_interrupted();
    progress_.begin("compile", static_cast<int64_t>(configs.size()));
    const std::vector<BuildResult> builds = runner_.build(configs);
    progress_.advance(static_cast<int64_t>(configs.size()), best_us_);
    progress_.begin("verify", static_cast<int64_t>(configs.size()));
    std::vector<Contender> admitted;
    for (size_t i = 0; i < configs.size(); ++i) {
      throw_if_interrupted();
      if (builds[i].ok() ? verify(configs[i]) : refuse(configs[i], builds[i])) {
        builds_[to_string(configs[i])] = builds[i];
        admitted.push_back(contender_of(configs[i]));
      }
      progress_.advance(static_cast<int64_t>(i) + 1, best_us_);
    }
    return admitted;
  }

  bool refuse(const TileConfig& config, const BuildResult& build) {
    ++result_.entry.considered.rejected["compiler"];
    failure_ = format("{}: {}", to_string(config), build.reason);
    return false;
  }

  bool verify(const TileConfig& config) {
    Verification verification;
    try {
      verification = runner_.verify(contender_of(config));
    } catch (const Error& error) {
      if (error.code() == ExitCode::Interrupted) throw;
      ++result_.entry.considered.rejected["launch"];
      failure_ = format("{}: {}", to_string(config), error.what());
      progress_.note(format("cannot run {}", failure_));
      return false;
    }
    if (verification.ok) {
      verified_[to_string(config)] = verification;
      return true;
    }
    progress_.note(
        format("wrong results, not timed: {}: {}", to_string(config), verification.detail));
    result_.entry.wrong.push_back({config, verification});
    return false;
  }

  Race start_race(std::vector<Contender> contenders, const std::vector<Contender>& references) {
    contenders.insert(contenders.end(), references.begin(), references.end());
    Race race(runner_, std::move(contenders), policy_.seed + races_++, [this] { on_round(); });
    race.warm_up();
    return race;
  }

  void on_round() { progress_.advance(rounds_done_++, best_us_); }

  void begin_rounds(const std::string& phase, int64_t rounds) {
    progress_.begin(phase, rounds);
    rounds_done_ = 0;
  }

  // Rounds in which the field halves down to `last` configs of ours.
  void halve(Race& race, size_t field, size_t last) {
    constexpr int64_t kFirstRounds = 4;
    constexpr int64_t kNextRounds = 3;
    constexpr double kHopeless = 1.3;
    race.run(kFirstRounds);
    race.keep_best_reference();
    for (size_t left = (field + 1) / 2;; left = (left + 1) / 2) {
      best_us_ = race.best_us();
      race.keep_best(std::max(left, last), kHopeless);
      if (left <= last) break;
      race.run(kNextRounds);
    }
    race.run(kNextRounds);
    race.keep_best(last, kHopeless);
    best_us_ = race.best_us();
  }

  std::vector<TileConfig> race_kernels(const std::vector<Contender>& kernels) {
    constexpr size_t kLeaders = 6;
    begin_rounds("race", expected_rounds(kernels.size(), kLeaders));
    Race race = start_race(kernels, references_);
    halve(race, kernels.size(), kLeaders);
    keep_references(race);
    return take_rows(race, kLeaders);
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
        if (!is_new) continue;
        variants.push_back(neighbour.config);
        if (!is_enumerated(neighbour.config, enumeration)) {
          ++result_.entry.considered.enumerated;
        }
      }
    }
    return variants.empty() ? leaders : race_again(leaders, variants, leaders.size());
  }

  // Neighbours may split K as the space does not.
  static bool is_enumerated(const TileConfig& config, const Enumeration& enumeration) {
    return std::any_of(enumeration.kernels.begin(), enumeration.kernels.end(),
                       [&](const LegalKernel& kernel) {
                         TileConfig same = kernel.config;
                         same.raster = config.raster;
                         same.l2_promotion_bytes = config.l2_promotion_bytes;
                         same.evict_first = config.evict_first;
                         return same == config;
                       });
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
    std::vector<TileConfig> best = race_again(leaders, variants, kExpanded);
    best = race_again(best, unpredicted(best, other_evictions), kExpanded);
    return race_again(best, unpredicted(best, other_promotions), kConfirmed);
  }

  // Variants that the model does not tell from their configs.
  std::vector<TileConfig> unpredicted(const std::vector<TileConfig>& configs,
                                      decltype(other_evictions)& variants_of) {
    std::vector<TileConfig> all;
    for (const TileConfig& config : configs) {
      for (const TileConfig& variant : variants_of(config, policy_.spaces)) {
        predicted_.emplace(to_string(variant), predicted_.at(to_string(config)));
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

  std::vector<TileConfig> race_again(const std::vector<TileConfig>& known,
                                     const std::vector<TileConfig>& variants, size_t last) {
    std::vector<Contender> field;
    field.reserve(known.size() + variants.size());
    for (const TileConfig& config : known) field.push_back(contender_of(config));
    if (!variants.empty()) {
      for (Contender& contender : admit(variants)) field.push_back(std::move(contender));
    }
    begin_rounds("refine", expected_rounds(field.size(), last));
    Race race = start_race(field, references_);
    halve(race, field.size(), last);
    return take_rows(race, last);
  }

  static int64_t expected_rounds(size_t field, size_t last) {
    int64_t rounds = 8;  // warm-up, first and last rounds
    for (size_t left = (field + 1) / 2; left > last; left = (left + 1) / 2) rounds += 3;
    return rounds;
  }

  // Later rounds compare with the best reference and the library's own choice only.
  void keep_references(const Race& race) {
    std::vector<Contender> kept;
    for (const Lane& lane : race.lanes()) {
      if (!lane.contender.config && lane.racing) kept.push_back(lane.contender);
    }
    references_ = kept;
  }

  TuneRow row_of(const Lane& lane, const Lane* reference, bool confirmed) const {
    const TileConfig& config = *lane.contender.config;
    TuneRow row{.config = config,
                .predicted_us = predicted_.at(lane.contender.name).us,
                .timing = summarize(problem_, lane.samples_us),
                .ratio = std::nullopt,
                .confirmed = confirmed};
    if (reference != nullptr) row.ratio = paired_ratio(reference->samples_us, lane.samples_us);
    return row;
  }

  // Notes every config's time and returns the fastest ones that raced to the end.
  std::vector<TileConfig> take_rows(const Race& race, size_t count) {
    std::vector<TileConfig> fastest;
    const Lane* const reference = race.best_reference();
    for (const Lane* const lane : race.ours_by_median()) {
      rows_.insert_or_assign(lane->contender.name, row_of(*lane, reference, false));
      if (lane->racing && fastest.size() < count) fastest.push_back(*lane->contender.config);
    }
    return fastest;
  }

  // The best of other tiles join the finalists: a confirmation heats the device as no race before
  // it does, and then a kernel that draws less power passes one that led.
  std::vector<TileConfig> with_rivals(std::vector<TileConfig> finalists) const {
    constexpr size_t kRivals = 2;
    constexpr double kNear = 1.03;
    std::vector<const TuneRow*> rows;
    for (const auto& named : rows_) rows.push_back(&named.second);
    std::sort(rows.begin(), rows.end(), [](const TuneRow* a, const TuneRow* b) {
      return relative_time(*a) < relative_time(*b);
    });
    const size_t wanted = finalists.size() + kRivals;
    for (const TuneRow* const row : rows) {
      const bool is_near = relative_time(*row) <= kNear * relative_time(*rows.front());
      if (finalists.size() == wanted || !is_near) break;
      const bool is_new =
          std::none_of(finalists.begin(), finalists.end(),
                       [row](const TileConfig& other) { return same_tile(other, row->config); });
      if (is_new) finalists.push_back(row->config);
    }
    return finalists;
  }

  // Of rows from several races: over the reference's time, where there is one.
  static double relative_time(const TuneRow& row) {
    return row.ratio ? 1 / row.ratio->ratio : row.timing->median_us;
  }

  void confirm(const std::vector<TileConfig>& finalists) {
    constexpr int64_t kPilotRounds = 3;
    std::vector<Contender> contenders;
    contenders.reserve(finalists.size());
    for (const TileConfig& config : finalists) contenders.push_back(contender_of(config));
    begin_rounds("confirm", kPilotRounds);
    Race pilot = start_race(contenders, references_);
    pilot.run(kPilotRounds);
    result_.rounds = policy_.rounds > 0 ? policy_.rounds : rounds_for(pilot.round_us());
    begin_rounds("confirm", result_.rounds + 1);
    Race race = start_race(contenders, references_);
    race.run(result_.rounds);
    conclude(race);
  }

  void conclude(const Race& race) {
    TuneEntry& entry = result_.entry;
    const std::vector<const Lane*> ranked = race.ours_by_median();
    const Lane& winner = *ranked.front();
    const Lane* const reference = race.best_reference();
    entry.choice = *winner.contender.config;
    entry.determinism = determinism_of(entry.choice.decomposition);
    entry.predicted = predicted_.at(winner.contender.name);
    entry.timing = summarize(problem_, winner.samples_us);
    entry.verified = verified_.at(winner.contender.name);
    entry.build = builds_.at(winner.contender.name);
    if (reference != nullptr) {
      entry.reference =
          ReferenceResult{.name = reference->contender.name,
                          .median_us = median(reference->samples_us),
                          .ratio = paired_ratio(reference->samples_us, winner.samples_us),
                          .counters = std::nullopt};
      reference_ = reference->contender;
    }
    for (size_t i = 1; i < ranked.size(); ++i) add_tie(*ranked[i], winner);
    entry.considered.measured = static_cast<int64_t>(rows_.size());
    for (const Lane* const lane : ranked) {
      rows_.erase(lane->contender.name);
      result_.rows.push_back(row_of(*lane, reference, true));
    }
    add_other_rows();
  }

  void add_tie(const Lane& other, const Lane& winner) {
    const PairedRatio ratio = paired_ratio(other.samples_us, winner.samples_us);
    const bool undecided = ratio.interval.low <= 1 && 1 <= ratio.interval.high;
    if (undecided || std::abs(ratio.ratio - 1) <= kSameWithin) {
      result_.entry.ties.push_back({*other.contender.config, ratio.ratio});
    }
  }

  void add_other_rows() {
    std::vector<TuneRow> others;
    for (const auto& named : rows_) others.push_back(named.second);
    std::stable_sort(others.begin(), others.end(), [](const TuneRow& a, const TuneRow& b) {
      return a.timing->median_us < b.timing->median_us;
    });
    result_.rows.insert(result_.rows.end(), others.begin(), others.end());
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
  std::vector<Contender> references_;
  std::optional<Contender> reference_;  // the best one of the confirmation
  std::map<std::string, Estimate> predicted_;
  std::map<std::string, Verification> verified_;
  std::map<std::string, BuildResult> builds_;
  std::map<std::string, TuneRow> rows_;
  std::string failure_;
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
  const Ranking ranking = rank_or_refuse(problem, policy.spaces, device);
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
                           .ratio = std::nullopt,
                           .confirmed = false});
  }
  return result;
}

int64_t rounds_for(double round_us) {
  constexpr double kBudgetUs = 0.5e6;
  constexpr double kFewest = 25;
  constexpr double kMost = 200;
  return static_cast<int64_t>(std::clamp(kBudgetUs / round_us, kFewest, kMost));
}

Timing summarize(const Problem& problem, const std::vector<double>& samples_us) {
  Timing timing;
  timing.median_us = median(samples_us);
  timing.ci_us = median_interval(samples_us);
  timing.tflops = flops(problem) / timing.median_us / 1e6;
  return timing;
}

}  // namespace tilewright
