// Kernel times from CUPTI's activity records: the kernel's own start and end on the device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tilewright {

/// One kernel that ran, nanoseconds of the device's clock.
struct KernelActivity {
  std::string name;
  uint64_t start_ns = 0;
  uint64_t end_ns = 0;
  int device = 0;
};

/// Records all kernels of the process from construction to destruction. Only one may exist at a
/// time.
///
///   launch ... -> take(): waits for the device, flushes, returns what ran since the last take
class ActivityTimer {
 public:
  ActivityTimer();
  ActivityTimer(const ActivityTimer&) = delete;
  ActivityTimer& operator=(const ActivityTimer&) = delete;
  ~ActivityTimer();

  /// The kernels since the last call, in the order in which they started.
  std::vector<KernelActivity> take();
};

}  // namespace tilewright
