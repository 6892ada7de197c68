// Loads devices by name from presets/devices: limits and rates without a GPU.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tile/workload/device_spec.hpp"

namespace tilewright {

template <class Record>
struct Field;

/// Names of all presets, sorted.
std::vector<std::string> device_preset_names();

/// Reads presets/devices/NAME.yaml, or the file itself if the name ends in .yaml. NAMExW, as in
/// "h200x2", is a host with W of the preset's GPUs. Throws a usage error that lists the known names
/// for any other name.
DeviceSpec load_device_preset(std::string_view name);

/// The preset of the device's architecture, if there is one; for a GPU as with_rates() gives it.
std::optional<DeviceSpec> preset_like(const DeviceFingerprint& device);

/// Reads a preset's text; `source` is the file's name in messages. Throws a usage error.
DeviceSpec parse_device_preset(std::string_view text, const std::string& source);

/// The preset for a GPU with unknown rates: the nearest compute capability first, then the
/// nearest number of multiprocessors, L2 size and memory size.
DeviceSpec nearest_preset(const DeviceSpec& limits);

/// A GPU with the limits of `limits` and the rates of `preset`; the effective L2 size scales with
/// the L2 size. No rate is foreign: the model only orders what a GPU measures.
DeviceSpec with_rates(const DeviceSpec& limits, const DeviceSpec& preset);

/// The keys of a preset file before its rates: names, limits and figures.
std::span<const Field<DeviceSpec>> device_figures();

/// The text of a preset file for this device, which load_device_preset() reads. `sources` are
/// written to the file: one line for the source of each figure.
std::string device_yaml(const DeviceSpec& device, const std::vector<std::string>& sources);

}  // namespace tilewright
