// One device of a tune: searches problems there, and records the results in the store.
#pragma once

#include <chrono>
#include <optional>
#include <ostream>
#include <set>
#include <string>

#include "host/devices.hpp"
#include "request/tune_request.hpp"
#include "search/pinning.hpp"
#include "search/recorder.hpp"
#include "search/trial_run.hpp"
#include "search/tuner.hpp"
#include "store/record_store.hpp"

namespace tilewright {

/// A hash of everything that decides a search except its measurements.
std::string session_of(const TuneRequest& request, const ResolvedDevice& device);

/// Searches one problem after the other. DeviceTuners of other devices may run in other threads.
class DeviceTuner {
 public:
  /// Opens a Runner on a GPU; for a preset the model answers. `earlier` is the content of
  /// `request.store`; it has no runs where the tune does not resume. Throws an environment error.
  DeviceTuner(const TuneRequest& request, const ResolvedDevice& device, const TunePolicy& policy,
              const RecordStore& earlier, std::ostream& err);
  /// Prints how many launches came from the store.
  ~DeviceTuner();
  DeviceTuner(const DeviceTuner&) = delete;
  DeviceTuner& operator=(const DeviceTuner&) = delete;

  /// One line from the check of the device's timer; empty for a preset. Takes a second on a GPU.
  std::string first_words() { return runner_ ? (**runner_).timer_check() : std::string(); }
  /// True where an earlier run on this device began the problem.
  bool knows(const Workload& problem) const;
  /// `ranking` is look_ahead()'s result, if the caller has one. Throws as tune() does.
  TuneResult search(const Workload& problem, ProgressListener& progress,
                    std::optional<Ranking> ranking = {});
  /// Times a product that is not tuned. Throws as measure_trial() does.
  Trial try_out(const TrialPlan& plan, ProgressListener& progress);
  /// Times a tuned config beside the library's algorithms. Throws as measure_pin() does.
  std::optional<LibraryPin> pin(const Workload& product, const TileConfig& config,
                                ProgressListener& progress);
  /// How the last problem was measured; empty for a preset.
  MeasuringMethod method();
  /// The exit code of a verb that would return `code` without disturbances; see DeviceWatch.
  ExitCode report_disturbances(ExitCode code) {
    return runner_ ? runner_->report_disturbances(code) : code;
  }
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
  std::set<std::string> known_;  // problems that the earlier log began
  std::optional<WatchedRunner> runner_;
  std::optional<RecordFile> file_;
  std::optional<Recorder> recorder_;
  std::chrono::steady_clock::time_point begin_;  // when the problem began
};

}  // namespace tilewright
