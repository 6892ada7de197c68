// The rates of lib/tile/workload/rate_table.hpp in a device's file: one map a section, one key a
// rate.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "store/document.hpp"
#include "store/yaml_reader.hpp"
#include "tile/workload/device_spec.hpp"
#include "tile/workload/rate_table.hpp"

namespace tilewright {

/// The names of the maps, and "defaults".
std::vector<std::string_view> rate_sections();

/// Sets all rates to those of another device, whose own they stay.
void take_rates(DeviceSpec& device, DeviceSpec from);

/// Sets what the file gives, and `own_rates` to that less what its key `defaults` lists (maps, or
/// single rates). Throws a usage error that names the others where the device has no base.
void read_rates(const YamlReader& file, DeviceSpec& device);

/// Adds the maps to a device's document, and `defaults` where rates are not the device's own.
void write_rates(const DeviceSpec& device, Document& document);

/// Paths of the rates that are the base's: "join.meet_us".
std::vector<std::string> borrowed_rates(const DeviceSpec& device);

/// "all 51 stand as in h200", or which of them stand in the device's file.
std::string own_rates_text(const DeviceSpec& device);

/// What every verb that prices says of a device some of whose rates are another's: "device h100:
/// 51 of 51 rates are not its own and stand as in h200: launch, clock, ..."; else empty.
std::string borrowed_rates_line(const DeviceSpec& device);

}  // namespace tilewright
