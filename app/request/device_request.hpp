// What the command line asks of device, in the library's types.
#pragma once

#include <cstdint>
#include <string>

#include "request/options.hpp"

namespace tilewright {

enum class DeviceAction { Show, List, Calibrate, Doctor };

struct DeviceRequest {
  DeviceAction action = DeviceAction::Show;
  std::string name = "auto";  // of the device to show or to calibrate
  int64_t gpu = 0;            // the index of the GPU to diagnose, even if this host has no such GPU
  std::string output = {};    // the device file of calibrate; empty: none
  bool of_links = false;      // calibrate measures links between GPUs instead of the other rates
};

/// Parses the options once. Throws a usage error for an unknown action, and for options that do not
/// belong to the action.
DeviceRequest read_device(const DeviceOptions& options);

}  // namespace tilewright
