// LaunchHold: a kernel holds the default stream while the host enqueues launches behind it.
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

  /// The host calls this while the device is idle. The device runs what is enqueued afterwards once
  /// the host calls release(), and after 10 ms at the latest: a foreign launch may wait for it.
  void begin();
  void release();

 private:
  const DeviceKernels& kernels_;
  unsigned* released_ = nullptr;  // host memory that the device reads
};

}  // namespace tilewright
