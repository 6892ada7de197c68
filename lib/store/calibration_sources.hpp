// The sources of a calibrated device's figures, for its file.
#pragma once

#include <string>
#include <vector>

#include "gate/calibrate.hpp"
#include "gate/calibrate_links.hpp"

namespace tilewright {

/// Lines for device_yaml(): what was measured for each rate and the model's error. `day` is
/// "2026-11-21".
std::vector<std::string> calibration_sources(const Calibration& calibration,
                                             const std::string& day);

/// The same for a calibration of links, with the preset's other rates.
std::vector<std::string> link_sources(const LinkCalibration& calibration, const std::string& preset,
                                      const std::string& day);

}  // namespace tilewright
