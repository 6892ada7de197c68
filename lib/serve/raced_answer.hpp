// A product with a race in its first calls: its candidates, their launches, and the winner.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "gpu/launch/launch_timer.hpp"
#include "serve/race_file.hpp"
#include "serve/raced_calls.hpp"
#include "serve/served_device.hpp"

namespace tilewright {

/// A kernel that takes part.
struct RaceCandidate {
  std::string name;                                // one line
  std::optional<ShippedChoice> choice = {};        // of our kernel
  int64_t workspace_bytes = 0;                     // that it may use
  std::shared_ptr<const ServedAnswer> ready = {};  // from its first turn on
};

/// What all races of a device share; all outlive the races.
struct RaceTrack {
  ServedDevice& device;
  LaunchTimer& timer;
  RaceFile& file;
};

/// One product on one device. Safe to use from several threads.
class RacedAnswer {
 public:
  /// `plain` is ready. `product` is the product's name in the file; if a result of it is there, no
  /// race is needed.
  RacedAnswer(RaceTrack track, RequestKey key, std::string product, RaceCandidate plain,
              std::vector<RaceCandidate> rivals);

  /// The most that a candidate uses: it does not change.
  int64_t workspace_bytes() const { return workspace_bytes_; }

  /// Launches the candidate in turn; once the race is decided, the winner, and if the
  /// stream is captured before that, the plain answer. A candidate that does not fit into
  /// `workspace_bytes`, or cannot run, leaves the plain answer in its place. Throws a usage error
  /// if this does not fit either, and what its launch throws.
  void launch(const GemmLaunch& launch, int64_t workspace_bytes);

  /// One line on the state, given the line on the plain answer.
  std::string text(const std::string& plain) const;

 private:
  std::shared_ptr<const ServedAnswer> ready(int candidate);
  std::shared_ptr<const ServedAnswer> ready_for(int candidate, int64_t workspace_bytes);
  void launch_settled(int candidate, const GemmLaunch& launch, int64_t workspace_bytes);
  void launch_in_race(const GemmLaunch& launch, int64_t workspace_bytes);
  void settle();

  const RaceTrack track_;
  const RequestKey key_;
  const std::string product_;
  std::vector<RaceCandidate> candidates_;  // the plain answer first
  int64_t workspace_bytes_ = 0;
  RacedCalls calls_;
  std::optional<RaceResult> found_;  // of an earlier race
  std::atomic<bool> is_settling_ = false;
  std::atomic<int> settled_ = -1;                       // the candidate that answers from now on
  std::atomic<const ServedAnswer*> running_ = nullptr;  // its answer, once that has been launched
  mutable std::mutex mutex_;  // for `ready` of the candidates, and the text
  std::string failure_;       // of the winner, after the race
};

}  // namespace tilewright
