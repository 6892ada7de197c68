// The state of one search, and the races that all of its phases run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "search/admission.hpp"
#include "search/race.hpp"
#include "search/runner.hpp"
#include "search/stack_support.hpp"
#include "search/tuner.hpp"

namespace tilewright {

/// A config and its time in the last race that it was in.
struct RacedConfig {
  TileConfig config;
  double us = 0;
};

/// The races of one search. Keeps references to everything except the workload.
class SearchState {
 public:
  SearchState(const Workload& workload, Runner& runner, const TunePolicy& policy,
              ProgressListener& progress)
      : workload_(workload),
        runner_(runner),
        policy_(policy),
        progress_(progress),
        admission_(workload_, runner, progress) {}
  SearchState(const SearchState&) = delete;
  SearchState& operator=(const SearchState&) = delete;

  const Workload& workload() const { return workload_; }
  const TunePolicy& policy() const { return policy_; }
  const DeviceSpec& device() const { return runner_.device(); }
  const Admission& admission() const { return admission_; }
  double best_us() const { return best_us_; }
  int64_t measured_count() const { return static_cast<int64_t>(measured_.size()); }
  uint64_t race_count() const { return races_; }

  /// Whether the config meets the policy's requirement.
  bool meets_requirement(const TileConfig& config) const {
    return why_requirement_fails(policy_.require, workload_, config).empty();
  }
  /// The fastest config of all races that the stack can express; nothing if none ran.
  std::optional<TileConfig> fastest_supported(Stack stack) const;

  /// Whether the budget is spent once `more` configs are measured.
  bool is_spent(size_t more = 0) const;

  /// The configs that compile and compute right results, in order.
  std::vector<Contender> admit(const std::vector<TileConfig>& configs);
  /// The policy's incumbent, if it has one that runs.
  std::vector<Contender> admit_incumbent();
  /// Admits the known configs and, within the budget, their variants.
  std::vector<Contender> admit_within_budget(const std::vector<TileConfig>& known,
                                             const std::vector<TileConfig>& variants);

  /// Stores a prediction; false if there was one.
  bool store_prediction(const TileConfig& config, const Estimate& predicted);
  const Estimate& predicted_of(const TileConfig& config);

  /// Rounds in which configs leave once they are surely slower than the fastest. Throws where none
  /// is left.
  Race run_race(const std::string& phase, std::vector<Contender> contenders, RacePatience patience);
  /// The fastest `count` of a race between kernels, fastest first; whoever was near is a rival.
  std::vector<TileConfig> race_leaders(const std::string& phase, std::vector<Contender> contenders,
                                       size_t count);
  /// The leaders of a race between any kernels. Throws if there are none.
  std::vector<TileConfig> race_kernels(const std::vector<Contender>& kernels);
  void withdraw_failed(const std::vector<RaceEntry>& entries);

  /// Adds to the finalists the best rivals of other tiles, the incumbent, and forms without L2
  /// requests that ran: noise alone may have preferred a form with requests.
  std::vector<TileConfig> with_rivals(std::vector<TileConfig> finalists) const;

 private:
  void note_rivals(const Race& race);
  void note_times(const Race& race);

  Workload workload_;
  Runner& runner_;
  const TunePolicy& policy_;
  ProgressListener& progress_;
  Admission admission_;
  std::map<std::string, Estimate> predicted_;
  std::set<std::string> measured_;
  std::vector<std::pair<double, TileConfig>> rivals_;  // by time over their race's fastest
  std::map<std::string, RacedConfig> raced_;           // by name
  bool incumbent_runs_ = false;
  double best_us_ = 0;
  int64_t rounds_done_ = 0;
  uint64_t races_ = 0;
};

}  // namespace tilewright
