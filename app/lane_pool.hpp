// Problems dealt to the devices of a tune, several at work at once.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "devices.hpp"
#include "progress_bar.hpp"
#include "tune_lane.hpp"

namespace tilewright {

/// One lane a device. Whichever is free takes the next problem.
class LanePool {
 public:
  /// A problem that waits for a lane.
  struct Turn {
    size_t place = 0;                // among the caller's problems
    Workload problem;                // that is at this place
    const TuneLane* lane = nullptr;  // that was at work on it before and has to take it; null: any
    bool is_told = false;            // by upcoming()
  };
  /// Works at a turn on a lane of which it is the only user. What it shares with the jobs of other
  /// lanes it does under lock().
  using Job = std::function<void(TuneLane&, const Turn&, Progress&)>;

  /// `earlier` is as TuneLane has it. Throws an environment error.
  LanePool(const TuneOptions& options, const std::vector<ResolvedDevice>& devices,
           const TunePolicy& policy, const RecordStore& earlier, Console& console,
           ProgressBar& bar);

  size_t size() const { return lanes_.size(); }
  /// The first lane of which it is true, or null.
  const TuneLane* find(const std::function<bool(const TuneLane&)>& is_it) const;
  /// What run() does: of one lane in the order given, of several the longest first. `places` is how
  /// many problems the caller counts.
  void line_up(std::vector<Turn> turns, size_t places);
  /// The first turn in line that any lane may take and that this has not told before.
  std::optional<Turn> upcoming();
  /// Does each turn once. A problem without a right kernel, or with an internal error, is reported
  /// and leaves the others their answers, an interrupt ends all, any other error the lane that had
  /// it, and is thrown when the others are done.
  void run(const Job& job);
  /// Held until destroyed, and the terminal is free for words.
  [[nodiscard]] std::unique_lock<std::mutex> lock();
  /// What a verb answers when all is done: what run() met (No, WrongResult, Internal or
  /// Interrupted, the highest of them), else as TuneLane::look_back() of each lane.
  ExitCode look_back();

 private:
  class Notes;

  bool next(const TuneLane& lane, Turn& turn);
  void attend(TuneLane& lane, const Job& job);
  void work(TuneLane& lane, const Turn& turn, const Job& job);
  bool costs_its_problem(const Turn& turn, const std::exception& error);

  const DeviceSpec& spec_;
  Console& console_;
  ProgressBar& bar_;
  std::vector<std::unique_ptr<TuneLane>> lanes_;
  std::mutex mutex_;  // over all below, and the words
  std::vector<Turn> turns_;
  size_t places_ = 0;
  int64_t done_ = 0;  // turns
  ExitCode code_ = ExitCode::Good;
  std::exception_ptr failure_;
};

}  // namespace tilewright
