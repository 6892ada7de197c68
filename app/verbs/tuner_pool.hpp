// Distributes problems to the devices of a tune, several of which work at once.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "host/devices.hpp"
#include "render/progress_bar.hpp"
#include "verbs/device_tuner.hpp"

namespace tilewright {

/// One tuner per device. The tuner that is free takes the next problem.
class TunerPool {
 public:
  /// A problem that waits for a tuner.
  struct Task {
    size_t index = 0;  // among the caller's problems
    Workload problem;  // the problem at this index
    const DeviceTuner* tuner =
        nullptr;                // the tuner that began it before and must take it; null: any
    bool is_announced = false;  // upcoming() has returned it
  };
  /// Works on a task. No other job uses the same tuner meanwhile; data that jobs of several tuners
  /// share is used under lock().
  using Job = std::function<void(DeviceTuner&, const Task&, ProgressListener&)>;

  /// `earlier` is as in DeviceTuner. Throws an environment error.
  TunerPool(const TuneRequest& request, const std::vector<ResolvedDevice>& devices,
            const TunePolicy& policy, const RecordStore& earlier, Console& console,
            ProgressBar& bar);

  size_t size() const { return tuners_.size(); }
  /// The first tuner for which the predicate is true, or null.
  const DeviceTuner* find(const std::function<bool(const DeviceTuner&)>& is_it) const;
  /// Queues tasks for run(): one tuner takes them in the given order, several take the longest
  /// first. `total` is the caller's number of problems.
  void enqueue(std::vector<Task> tasks, size_t total);
  /// The first queued task that any tuner may take and that this function has not returned before.
  std::optional<Task> upcoming();
  /// Does each task once. A problem without a right kernel, or with an internal error, is reported,
  /// and the others continue. An interrupt ends all. Any other error ends the tuner that met it,
  /// and is thrown when the others are done.
  void run(const Job& job);
  /// Locks the pool until the lock is destroyed, and clears the progress bar, so that the caller
  /// may print.
  [[nodiscard]] std::unique_lock<std::mutex> lock();
  /// The verb's exit code when all is done: the highest of run()'s codes (No, WrongResult, Internal
  /// or Interrupted), else that from DeviceTuner::report_disturbances() of each tuner.
  ExitCode report_disturbances();

 private:
  class Notes;

  bool next(const DeviceTuner& tuner, Task& task);
  void attend(DeviceTuner& tuner, const Job& job);
  void work(DeviceTuner& tuner, const Task& task, const Job& job);
  bool costs_its_problem(const Task& task, const std::exception& error);

  const DeviceSpec& spec_;
  Console& console_;
  ProgressBar& bar_;
  std::vector<std::unique_ptr<DeviceTuner>> tuners_;
  std::mutex mutex_;  // protects all below, and the output
  std::vector<Task> tasks_;
  size_t total_ = 0;
  int64_t done_ = 0;  // finished tasks
  ExitCode code_ = ExitCode::Good;
  std::exception_ptr failure_;
};

}  // namespace tilewright
