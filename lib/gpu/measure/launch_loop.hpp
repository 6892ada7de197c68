// LaunchLoop: the same launch again and again, so that the device never waits for the host.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>

namespace tilewright {

/// Launches in a stream of its own, which waits for no other.
class LaunchLoop {
 public:
  /// `in_graph`: the launches are captured, which keeps the device busy whatever their length. What
  /// writes host memory to the device at each launch cannot be captured.
  explicit LaunchLoop(const std::function<void(cudaStream_t)>& launch, bool in_graph = true);
  LaunchLoop(const LaunchLoop&) = delete;
  LaunchLoop& operator=(const LaunchLoop&) = delete;
  ~LaunchLoop();

  /// Enqueues some milliseconds of launches, as soon as at most as many are still running.
  void advance();

  /// Launches enqueued so far.
  double launches() const { return static_cast<double>(turns_) * length_; }

 private:
  void capture();

  std::function<void(cudaStream_t)> launch_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t ends_[2] = {};
  cudaGraphExec_t graph_ = nullptr;  // null: launched one by one
  int length_ = 4;                   // launches of a turn
  int64_t turns_ = 0;
};

}  // namespace tilewright
