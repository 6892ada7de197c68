// Reads and writes the rates of lib/tile/workload/rate_table.hpp in a device's file: one map a
// section, one key a rate.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "record/document.hpp"
#include "record/node.hpp"
#include "tile/workload/device_spec.hpp"
#include "tile/workload/rate_table.hpp"

namespace tilewright {

/// The names of the maps, and "defaults".
std::vector<std::string_view> rate_sections();

/// Copies all rates from another device. The rates do not become the device's own; those that stem
/// from another compute capability become foreign.
void take_rates(DeviceSpec& device, DeviceSpec from);

/// Sets the rates that the file gives, and `file_rates` to them minus those in its key `defaults`
/// (maps, or single rates); these are no longer foreign. Throws a usage error that names the
/// missing rates if the device has no base.
void read_rates(const Node& file, DeviceSpec& device);

/// Adds the maps to a device's document, and `defaults` for the rates that are not the device's
/// own.
void write_rates(const DeviceSpec& device, Document& document);

/// Paths of the rates that come from the base: "join.meet_us".
std::vector<std::string> inherited_rates(const DeviceSpec& device);

/// Text for people: "all 51 are those of h200", or the rates that are in the device's file and
/// those that are its base's.
std::string own_rates_text(const DeviceSpec& device);

/// A warning that every verb prints before it predicts times with another device's rates: "device
/// h100: 51 of 51 rates are not its own and are those of h200: launch, clock, ..."; what ranks
/// instead, where they predict no time; empty if all rates are the device's own.
std::string borrowed_rates_line(const DeviceSpec& device);

}  // namespace tilewright
