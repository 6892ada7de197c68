// Times the launches of one call in its stream. The host never waits for the time.
#pragma once

#include <functional>
#include <optional>

namespace tilewright {

/// Safe to use from several threads.
class LaunchTimer {
 public:
  LaunchTimer() = default;
  LaunchTimer(const LaunchTimer&) = delete;
  LaunchTimer& operator=(const LaunchTimer&) = delete;
  virtual ~LaunchTimer() = default;

  /// Runs `launch`, which enqueues work in `stream`, a cudaStream_t of the current device. Returns
  /// the number of its time; empty if it cannot be taken. Throws what `launch` throws; there is no
  /// time then.
  virtual std::optional<int> time(void* stream, const std::function<void()>& launch) = 0;

  /// A time that has come, in microseconds, once; until then empty.
  virtual std::optional<double> take(int number) = 0;

  /// Gives up a time that has not come.
  virtual void drop(int number) = 0;
};

}  // namespace tilewright
