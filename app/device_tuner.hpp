// One device of a tune: what searches a problem there, and the store that remembers it.
#pragma once

#include <chrono>
#include <optional>
#include <ostream>
#include <set>
#include <string>

#include "devices.hpp"
#include "options.hpp"
#include "search/pinning.hpp"
#include "search/recorder.hpp"
#include "search/trial_run.hpp"
#include "search/tuner.hpp"
#include "store/record_store.hpp"

namespace tilewright {

/// How much may be measured of one problem.
struct Budget {
  std::optional<int64_t> configs;
  std::optional<int64_t> seconds;
};

/// "60s" or a number of configs; empty: no limit. Throws a usage error.
Budget parse_budget(const std::string& text);

/// Whether it is, of a problem that was begun at `begin`.
bool is_spent(const Budget& budget, std::chrono::steady_clock::time_point begin, int64_t measured);

/// All that decides a search beside its measurements.
std::string session_of(const TuneOptions& options, const ResolvedDevice& device);

/// Searches one problem after the other. Lanes on other devices may work in other threads.
class DeviceTuner {
 public:
  /// Of a GPU its Runner; without one the model answers. `earlier` is what `options.store` held; it
  /// has no runs where nothing is resumed. Throws an environment error.
  DeviceTuner(const TuneOptions& options, const ResolvedDevice& device, const TunePolicy& policy,
              const RecordStore& earlier, std::ostream& err);
  /// Says how many launches came from the store.
  ~DeviceTuner();
  DeviceTuner(const DeviceTuner&) = delete;
  DeviceTuner& operator=(const DeviceTuner&) = delete;

  /// The first words of the device, one line; empty where none runs. Takes a second on a GPU.
  std::string first_words() { return runner_ ? (**runner_).timer_check() : std::string(); }
  /// True where this very device was at work on the problem before, and where it answered it.
  bool knows(const Workload& problem) const;
  bool answered(const Workload& problem) const;
  /// `ranking` is look_ahead()'s, if somebody did. Throws as tune() does.
  TuneResult search(const Workload& problem, ProgressListener& progress,
                    std::optional<Ranking> ranking = {});
  /// Times a product that is not tuned. Throws as measure_trial() does.
  Trial try_out(const TrialPlan& plan, ProgressListener& progress);
  /// Times a tuned config beside the library's algorithms. Throws as measure_pin() does.
  std::optional<LibraryPin> pin(const Workload& product, const TileConfig& config,
                                ProgressListener& progress);
  /// How the last problem was measured; nothing is said where none runs.
  MeasuringMethod method();
  /// What a verb answers that would answer with `code`: as DeviceWatch has it.
  ExitCode look_back(ExitCode code) { return runner_ ? runner_->look_back(code) : code; }
  /// Puts the last problem's answer into the store.
  void keep(const TuneResult& result, const ProblemPosition& place);

 private:
  // The software and method of this tuner's last problem, with the rounds of its comparison.
  Origin origin(int64_t rounds);
  Runner& asked() { return recorder_ ? *recorder_ : **runner_; }

  const ResolvedDevice& device_;
  TunePolicy policy_;
  Budget budget_;
  std::ostream& err_;
  std::set<std::string> known_;     // problems of the earlier log
  std::set<std::string> answered_;  // those that this device answered
  std::optional<WatchedRunner> runner_;
  std::optional<RecordFile> file_;
  std::optional<Recorder> recorder_;
  std::chrono::steady_clock::time_point begin_;  // of the problem
};

}  // namespace tilewright
