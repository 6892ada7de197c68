// Devices, calibrations and diagnoses as JSON.
#pragma once

#include <string>
#include <vector>

#include "gate/calibrate.hpp"
#include "gate/calibrate_links.hpp"
#include "gate/device_prober.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// All fields of the spec, `preset` (true if `gpu_index` is -1), the GPU's versions, one a line,
/// and the reason if there is no GPU.
std::string device_json(const DeviceSpec& device, int gpu_index, const std::string& versions,
                        const std::string& why_no_gpu);

/// `device` (the preset's rates), `probed`,
/// `depth_fit`, `residuals` (list of `problem`, `config`, `measured_us`, `predicted_us`,
/// `residual_pct`).
std::string calibration_json(const Calibration& calibration);

/// `device` (name, `gpus`, `links`), `gpus`, `pairs` (list of `gpus`, `one_way`, `both_ways`,
/// `flag_us`, `added_count`, `lost_count`) and, for more than two GPUs, `ring`.
std::string link_calibration_json(const LinkCalibration& calibration);

/// `healthy` and `findings`: list of `subject`, `health`, `detail`, `advice`.
std::string diagnosis_json(const std::vector<Finding>& findings, bool healthy);

}  // namespace tilewright
