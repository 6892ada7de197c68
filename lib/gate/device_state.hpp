// The state of a GPU that disturbs measurements.
#pragma once

#include <string>
#include <vector>

namespace tilewright {

/// What a GPU is doing.
struct DeviceState {
  std::vector<std::string> processes;  // ids of those that compute on it, ours among them
  int sm_mhz = 0;                      // now; 0: unknown, as in all that follows
  int max_sm_mhz = 0;
  double watts = 0;
  double power_limit_watts = 0;
  double power_throttled_s = 0;  // time that power held the clock back, since the driver was loaded
  double thermal_throttled_s = 0;  // the same for temperature
  bool is_thermally_throttled = false;
  std::string why_not;  // why nothing is known; else empty
};

}  // namespace tilewright
