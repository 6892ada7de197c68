// A calibration and a diagnosis for machines.
#pragma once

#include <string>
#include <vector>

#include "gate/calibrate.hpp"
#include "gate/diagnosis.hpp"

namespace tilewright {

/// `device` (the preset's rates), `probed`, `depth_fit`, `residuals` (list of `problem`, `config`,
/// `measured_us`, `predicted_us`, `residual_pct`).
std::string calibration_json(const Calibration& calibration);

/// `healthy` and `findings`: list of `subject`, `health`, `detail`, `advice`.
std::string diagnosis_json(const std::vector<Finding>& findings, bool healthy);

}  // namespace tilewright
