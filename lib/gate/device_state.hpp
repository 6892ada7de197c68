// What disturbs measurements on a GPU.
#pragma once

#include <string>
#include <vector>

namespace tilewright {

/// What a GPU is doing.
struct DeviceState {
  std::vector<std::string> processes;  // numbers of those that compute on it, ours among them
  int sm_mhz = 0;                      // now; 0: not known, as in all that follows
  int most_sm_mhz = 0;
  double watts = 0;
  double most_watts = 0;
  double power_held_s = 0;  // for which power held its clock back, since the driver was loaded
  double heat_held_s = 0;   // the same of temperature
  bool heat_holds_now = false;
  std::string why_not;  // where nothing is known
};

}  // namespace tilewright
