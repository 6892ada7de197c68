// Problems dealt to the devices of a tune, several at work at once.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "device_tuner.hpp"
#include "devices.hpp"
#include "progress_bar.hpp"

namespace tilewright {

/// One tuner a device. Whichever is free takes the next problem.
class TunerPool {
 public:
  /// A problem that waits for a tuner.
  struct Task {
    size_t place = 0;  // among the caller's problems
    Workload problem;  // that is at this place
    const DeviceTuner* tuner =
        nullptr;                // that was at work on it before and has to take it; null: any
    bool is_announced = false;  // by upcoming()
  };
  /// Works at a task on a tuner of which it is the only user. What it shares with the jobs of other
  /// tuners it does under lock().
  using Job = std::function<void(DeviceTuner&, const Task&, ProgressListener&)>;

  /// `earlier` is as DeviceTuner has it. Throws an environment error.
  TunerPool(const TuneOptions& options, const std::vector<ResolvedDevice>& devices,
            const TunePolicy& policy, const RecordStore& earlier, Console& console,
            ProgressBar& bar);

  size_t size() const { return tuners_.size(); }
  /// The first tuner of which it is true, or null.
  const DeviceTuner* find(const std::function<bool(const DeviceTuner&)>& is_it) const;
  /// What run() does: of one tuner in the order given, of several the longest first. `places` is
  /// how many problems the caller counts.
  void enqueue(std::vector<Task> tasks, size_t places);
  /// The first task in line that any tuner may take and that this has not told before.
  std::optional<Task> upcoming();
  /// Does each task once. A problem without a right kernel, or with an internal error, is reported
  /// and leaves the others their answers, an interrupt ends all, any other error the tuner that had
  /// it, and is thrown when the others are done.
  void run(const Job& job);
  /// Held until destroyed, and the terminal is free for words.
  [[nodiscard]] std::unique_lock<std::mutex> lock();
  /// What a verb answers when all is done: what run() met (No, WrongResult, Internal or
  /// Interrupted, the highest of them), else as DeviceTuner::look_back() of each tuner.
  ExitCode look_back();

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
  std::mutex mutex_;  // over all below, and the words
  std::vector<Task> tasks_;
  size_t places_ = 0;
  int64_t done_ = 0;  // tasks
  ExitCode code_ = ExitCode::Good;
  std::exception_ptr failure_;
};

}  // namespace tilewright
