// LaunchHold: the device waits while the host enqueues launches.
#pragma once

#include "gpu/contenders/device_kernels.hpp"

namespace tilewright {

class LaunchHold {
 public:
  /// `kernels` outlive it.
  explicit LaunchHold(const DeviceKernels& kernels);
  LaunchHold(const LaunchHold&) = delete;
  LaunchHold& operator=(const LaunchHold&) = delete;
  ~LaunchHold();

  /// What is enqueued from now on runs once release() is called, or after 10 ms: a foreign launch
  /// may itself wait for the device. The device is idle.
  void begin();
  void release();

 private:
  const DeviceKernels& kernels_;
  unsigned* released_ = nullptr;  // host memory that the device reads
};

}  // namespace tilewright
