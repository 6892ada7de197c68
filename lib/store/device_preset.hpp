// Devices by name, from presets/devices: limits and rates without a GPU at hand.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gate/calibrate.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// Names of all presets, sorted.
std::vector<std::string> device_preset_names();

/// Reads presets/devices/NAME.yaml, or the file itself for a name that ends in .yaml.
/// Throws a usage error with the known names for another name.
DeviceSpec load_device_preset(std::string_view name);

/// The preset of the device's architecture, if there is one.
std::optional<DeviceSpec> preset_like(const DeviceFingerprint& device);

/// Reads a preset's text; `source` is the file's name in messages. Throws a usage error.
DeviceSpec parse_device_preset(std::string_view text, const std::string& source);

/// The preset whose rates fit a GPU best: compute capability first, then multiprocessors, L2 and
/// memory.
DeviceSpec nearest_preset(const DeviceSpec& limits);

/// The limits of `limits` with the rates of `preset`; the effective L2 scales with the L2.
DeviceSpec with_rates(const DeviceSpec& limits, const DeviceSpec& preset);

/// A device as a preset file that load_device_preset reads. The preset's text; `sources` are its
/// lines on where the figures come from.
std::string device_yaml(const DeviceSpec& device, const std::vector<std::string>& sources);

/// What was measured for each rate and how far the model lies from it; `day` is "2026-11-21".
std::vector<std::string> calibration_sources(const Calibration& calibration,
                                             const std::string& day);

}  // namespace tilewright
