// A device as a preset file that load_device_preset reads.
#pragma once

#include <string>
#include <vector>

#include "gate/calibrate.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// The preset's text; `sources` are its lines on where the figures come from.
std::string device_yaml(const DeviceSpec& device, const std::vector<std::string>& sources);

/// What was measured for each rate and how far the model lies from it; `day` is "2026-11-21".
std::vector<std::string> calibration_sources(const Calibration& calibration,
                                             const std::string& day);

}  // namespace tilewright
