// Runs the calls of one raced product: each by the kernel in turn, with its time taken.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "gpu/launch/launch_timer.hpp"
#include "serve/product_race.hpp"

namespace tilewright {

/// What a call does with a candidate; both throw where the candidate cannot run it.
struct CandidateActions {
  /// Gets it ready: loads its kernels at its first turn, and checks that this call has room for it.
  std::function<void(int candidate)> prepare;
  /// Enqueues its launches.
  std::function<void(int candidate)> launch;
  /// Clears what is left of a candidate that threw.
  std::function<void()> clear = [] {};
};

/// Safe to use from several threads. No function waits for the device.
class RacedCalls {
 public:
  /// The timer outlives this.
  RacedCalls(int candidates, LaunchTimer& timer) : race_(candidates), timer_(timer) {}
  RacedCalls(const RacedCalls&) = delete;
  RacedCalls& operator=(const RacedCalls&) = delete;
  ~RacedCalls();

  /// Runs one call in `stream`. If a candidate throws, it leaves the race, and the plain answer
  /// runs in its place; what the plain answer throws is thrown. Returns true for the call that
  /// decided the race.
  bool run(void* stream, const CandidateActions& actions);

  /// The winner, or -1 before the decision.
  int winner() const { return winner_.load(std::memory_order_acquire); }

  /// The state of the race at this moment.
  ProductRace snapshot() const;

 private:
  struct Pending {
    int ticket = 0;
    int time = 0;  // the timer's number
  };

  RaceTurn next_turn(bool& decides);
  void collect();
  void run_turn(const RaceTurn& turn, void* stream, const CandidateActions& actions);
  void fail(const RaceTurn& turn, const std::string& why);

  mutable std::mutex mutex_;
  ProductRace race_;
  LaunchTimer& timer_;
  std::vector<Pending> pending_;
  std::atomic<int> winner_ = -1;
};

}  // namespace tilewright
