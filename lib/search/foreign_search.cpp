#include "search/foreign_search.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"
#include "search/admission.hpp"
#include "search/confirmation.hpp"
#include "search/foreign_order.hpp"
#include "search/race.hpp"
#include "stats/random.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

// Seeds reserved for a confirmation, so that no two races have the same order.
constexpr uint64_t kSeedsOfConfirmation = 64;

// One problem's search: its phases in order, and the answer that they fill in.
class ForeignSearch {
 public:
  ForeignSearch(const Workload& workload, Runner& runner, const HarnessDescription& harness,
                const ForeignPolicy& policy, ProgressListener& progress)
      : workload_(workload),
        runner_(runner),
        harness_(harness),
        policy_(policy),
        progress_(progress),
        admission_(workload, runner, progress) {
    result_.entry.problem = workload;
    result_.entry.compiler = harness.compiler;
  }

  ForeignResult run() {
    find_legal();
    progress_.begin("prepare", 1);
    runner_.prepare(workload_);
    std::vector<Contender> field = admit(in_order());
    // The leaders may fail among other launches; then the remaining contenders race again.
    while (!conclude(lead(field))) {
      std::erase_if(field, [this](const Contender& c) { return withdrawn_.contains(c.name); });
    }
    read_counters();
    return std::move(result_);
  }

 private:
  void find_legal() {
    HarnessSpace space = legal_configs(harness_, workload_, policy_.given);
    Considered& considered = result_.entry.considered;
    considered.enumerated = space.enumerated;
    considered.rejected = std::move(space.rejected);
    if (space.legal.empty()) throw nothing_legal();
    for (size_t i = 0; i < space.legal.size(); ++i) {
      places_[to_string(space.legal[i])] = i;
    }
    legal_ = std::move(space.legal);
  }

  // Indices of the legal configs in the order of measurement: the default first.
  std::vector<size_t> in_order() {
    std::vector<size_t> order = by_strategy();
    const auto is_default = [this](size_t i) {
      return legal_[i].values == harness_.default_values;
    };
    std::stable_partition(order.begin(), order.end(), is_default);
    return order;
  }

  std::vector<size_t> by_strategy() {
    std::vector<size_t> order(legal_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    const Strategy strategy = policy_.strategy.value_or(Strategy::Model);
    if (strategy == Strategy::Local) {
      throw usage_error(
          "--strategy local needs predicted times, and a harness has none: use another strategy");
    }
    if (strategy == Strategy::Exhaustive) return order;
    Random random(policy_.seed);
    shuffle(std::span<size_t>(order), random);
    if (strategy == Strategy::Model) sort_by_mapping(order);
    return order;
  }

  // Sorts by what is known of the configs before they run: the least time that follows from the
  // mapping, or where a rate of the device is unknown the traffic.
  void sort_by_mapping(std::vector<size_t>& order) {
    constexpr size_t kMaxReplays = 512;
    if (legal_.size() == 1) return;
    if (const std::string why_random = why_no_traffic(); !why_random.empty()) {
      progress_.note(format("harness {}: no time is predicted, {}: its configs run in random order",
                            harness_.name, why_random));
      return;
    }
    const size_t count = std::min(order.size(), kMaxReplays);
    progress_.begin("replay", static_cast<int64_t>(count));
    std::vector<ForeignRank> ranks;
    for (size_t i = 0; i < count; ++i) {
      throw_if_interrupted();
      ranks.push_back(rank_of_config(legal_[order[i]]));
      progress_.advance(static_cast<int64_t>(i) + 1, 0);
    }
    const std::vector<size_t> shuffled = order;
    const std::vector<size_t> places = running_order(ranks);
    for (size_t i = 0; i < count; ++i) order[i] = shuffled[places[i]];
    progress_.note(
        format("harness {}: its configs run in the order of the {} that is predicted from their "
               "mapping",
               harness_.name, has_times_ ? "least time" : "memory traffic"));
  }

  std::string why_no_traffic() const {
    if (!harness_.maps) return "it does not export the tile of a slot";
    if (!is_product(workload_)) return "and the traffic of groups is not predicted";
    if (runner_.device().l2_bytes <= 0)
      return "and without a known L2 the traffic is not predicted";
    return {};
  }

  ForeignRank rank_of_config(const ForeignConfig& config) {
    const Contender contender = contender_of(config);
    if (!runner_.build_foreign({&contender, 1}).front().ok()) return {};
    const ForeignRank rank =
        rank_of(runner_.mapping_of(contender), problem_of(workload_, 0), runner_.device());
    has_times_ = has_times_ || rank.timed;
    return rank;
  }

  std::vector<Contender> admit(const std::vector<size_t>& order) {
    std::vector<Contender> admitted;
    progress_.begin("verify", std::ssize(order));
    int64_t done = 0;
    for (const size_t number : order) {
      if (policy_.is_spent(std::ssize(admitted))) break;
      throw_if_interrupted();
      const Contender contender = contender_of(legal_[number]);
      if (is_right(contender)) admitted.push_back(contender);
      progress_.advance(++done, 0);
    }
    result_.entry.considered.measured = std::ssize(admitted);
    return admitted;
  }

  bool is_right(const Contender& contender) {
    const BuildResult build = runner_.build_foreign({&contender, 1}).front();
    if (!build.ok()) {
      ++result_.entry.considered.rejected["prepare"];
      failure_ = format("{}: {}", contender.name, build.reason);
      progress_.note(format("refused: {}", failure_));
      return false;
    }
    const Verification verification = runner_.verify(contender);
    if (!verification.ok) withdraw(contender, verification.detail);
    verifications_[contender.name] = verification;
    return verification.ok;
  }

  void withdraw(const Contender& contender, const std::string& why) {
    withdrawn_.insert(contender.name);
    result_.entry.wrong.push_back({contender.foreign->values, why});
    progress_.note(format("skipped: {}: {}", contender.name, why));
  }

  Error nothing_legal() const {
    try {
      first_legal(harness_, workload_, policy_.given);
    } catch (const Error& why) {
      return Error(ExitCode::No, why.what());
    }
    return internal_error("a config is legal, and the search found none");
  }

  Error nothing_runs() const {
    const std::vector<ForeignFault>& wrong = result_.entry.wrong;
    if (!wrong.empty()) {
      return Error(ExitCode::WrongResult,
                   format("{}: harness {}: none of the {} configs that ran computed right results; "
                          "the first, {}: {}",
                          to_string(workload_), harness_.name, wrong.size(),
                          to_string(wrong.front().values), wrong.front().reason));
    }
    return Error(ExitCode::No, format("{}: harness {}: it refused every config; the last, {}",
                                      to_string(workload_), harness_.name, failure_));
  }

  // The fastest of the field: at most 8 that may be the fastest, and up to 4 to show beside them.
  std::vector<Contender> lead(std::vector<Contender> field) {
    constexpr size_t kFinalists = 8;
    constexpr size_t kShown = 4;
    if (field.empty()) throw nothing_runs();
    if (field.size() == 1) return field;
    policy_.between_races();
    int64_t done = 0;
    Race race(runner_, std::move(field), policy_.seed + races_++,
              [&] { progress_.advance(done++, best_us_); });
    run_race(race, kKernelRace, [&](int64_t rounds) {
      if (done > 0) best_us_ = race.best_us();
      progress_.begin("race", rounds);
    });
    best_us_ = race.best_us();
    for (const RaceEntry& entry : race.entries()) {
      if (!entry.failure.empty()) withdraw(entry.contender, entry.failure);
    }
    race.keep_fastest(kFinalists);
    std::vector<Contender> finalists;
    for (const RaceEntry* const entry : race.ours_by_median()) {
      if (entry->racing || finalists.size() < kShown) finalists.push_back(entry->contender);
    }
    if (finalists.empty()) throw nothing_runs();
    return finalists;
  }

  // What is timed along with the finalists, if it runs: a config of our own kernels, and the
  // harness's default.
  std::vector<Contender> observers() {
    std::vector<Contender> observers;
    if (policy_.ours) observers = admission_.admit({*policy_.ours}, best_us_);
    if (!harness_.default_values.empty()) {
      const Contender contender = contender_of(default_config(harness_));
      const bool is_known = verifications_.contains(contender.name);
      if (is_known ? !withdrawn_.contains(contender.name) : is_right(contender)) {
        observers.push_back(contender);
      }
    }
    return observers;
  }

  size_t place_of(const RaceEntry& entry) const { return places_.at(entry.contender.name); }

  // Confirms the choice; false where every finalist failed.
  bool conclude(const std::vector<Contender>& finalists) {
    const ConfirmationPolicy policy{.rounds = policy_.rounds,
                                    .seed = policy_.seed + races_,
                                    .between_races = policy_.between_races,
                                    .observers = [this](const Contender&) { return observers(); },
                                    .prefer =
                                        [this](const std::vector<const RaceEntry*>& ties) {
                                          return *std::min_element(
                                              ties.begin(), ties.end(),
                                              [this](const RaceEntry* a, const RaceEntry* b) {
                                                return place_of(*a) < place_of(*b);
                                              });
                                        }};
    progress_.begin("confirm", policy_.rounds);
    const Confirmation confirmation =
        confirm(workload_, runner_, finalists, runner_.reference_contenders(), policy,
                [this, total = int64_t{0}](int64_t done, int64_t expected) mutable {
                  if (expected != total) progress_.begin("confirm", total = expected);
                  progress_.advance(done, best_us_);
                });
    policy_.between_races();
    for (const RaceEntry& entry : confirmation.lost) {
      if (entry.contender.foreign) withdraw(entry.contender, entry.failure);
    }
    races_ += kSeedsOfConfirmation;
    if (confirmation.choice == nullptr) return false;
    result_.rounds = confirmation.rounds;
    take_entry(confirmation);
    for (const RaceEntry* const entry : confirmation.ours) {
      ForeignRow row{.values = entry->contender.foreign->values,
                     .timing = summarize(workload_, *entry),
                     .ratio = std::nullopt};
      if (reference_) row.ratio = paired_ratio(reference_->samples_us, entry->samples_us);
      result_.rows.push_back(std::move(row));
    }
    return true;
  }

  void take_entry(const Confirmation& confirmation) {
    ForeignEntry& entry = result_.entry;
    const RaceEntry& choice = *confirmation.choice;
    entry.choice = *choice.contender.foreign;
    entry.timing = summarize(workload_, choice);
    entry.verified = verifications_.at(choice.contender.name);
    if (confirmation.reference != nullptr) {
      reference_ = *confirmation.reference;
      entry.reference =
          ReferenceResult{.name = reference_->contender.name,
                          .median_us = median(reference_->samples_us),
                          .ratio = paired_ratio(reference_->samples_us, choice.samples_us),
                          .counters = std::nullopt};
    }
    for (const RaceEntry& raced : confirmation.entries) {
      if (!is_reference(raced.contender)) continue;
      entry.references.push_back({raced.contender.name, median(raced.samples_us)});
    }
    for (const RaceEntry& observer : confirmation.observers) {
      if (!observer.contender.config) continue;
      entry.ours = OursBeside{.config = *observer.contender.config,
                              .median_us = median(observer.samples_us),
                              .ratio = paired_ratio(observer.samples_us, choice.samples_us)};
    }
    take_default(confirmation.entries, choice);
    take_default(confirmation.observers, choice);
    for (const TiedEntry& tied : tied_with(choice, confirmation)) {
      entry.ties.push_back({tied.entry->contender.foreign->values, tied.ratio});
    }
  }

  void take_default(const std::vector<RaceEntry>& entries, const RaceEntry& choice) {
    for (const RaceEntry& one : entries) {
      if (!one.contender.foreign || harness_.default_values.empty() ||
          one.contender.foreign->values != harness_.default_values) {
        continue;
      }
      result_.entry.default_beside =
          DefaultBeside{.values = harness_.default_values,
                        .timing = summarize(workload_, one),
                        .ratio = paired_ratio(one.samples_us, choice.samples_us)};
    }
  }

  // Counters need replays of the kernel, so they are read after everything is timed.
  void read_counters() {
    if (!policy_.counters) return;
    throw_if_interrupted();
    progress_.begin("counters", 1);
    const CounterReading reading = runner_.count(contender_of(result_.entry.choice));
    result_.entry.counters = reading.counters;
    result_.entry.why_no_counters = reading.why_not;
  }

  const Workload& workload_;
  Runner& runner_;
  const HarnessDescription& harness_;
  const ForeignPolicy& policy_;
  ProgressListener& progress_;
  Admission admission_;  // for our own config
  ForeignResult result_;
  std::vector<ForeignConfig> legal_;
  std::map<std::string, size_t> places_;  // index of each legal config, by name
  std::map<std::string, Verification> verifications_;
  std::set<std::string> withdrawn_;
  std::optional<RaceEntry> reference_;  // the fastest reference in the confirmation
  std::string failure_;                 // of the config refused last
  bool has_times_ = false;              // of mappings, at the device's rates
  double best_us_ = 0;
  uint64_t races_ = 0;
};

}  // namespace

ForeignResult tune_foreign(const Workload& workload, Runner& runner,
                           const HarnessDescription& harness, const ForeignPolicy& policy,
                           ProgressListener& progress) {
  return ForeignSearch(workload, runner, harness, policy, progress).run();
}

}  // namespace tilewright
