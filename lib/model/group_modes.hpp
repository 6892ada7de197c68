// Compares the ways to find a group's units: a search on the device, a table from the host, a
// counter.
#pragma once

#include <string>
#include <vector>

#include "model/estimate.hpp"
#include "tile/plan/plan.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// A group's launch under one group schedule.
struct GroupMode {
  GroupSchedule schedule = GroupSchedule::DeviceOnly;
  Estimate predicted;
  std::string not_runnable;  // why none of our kernels runs it; else empty
  bool operator==(const GroupMode&) const = default;
};

/// The least estimate among modes that kernels run, or among all if none runs. Among modes
/// within kTimeResolution of it, device-only precedes dynamic, and dynamic precedes
/// host-precompute, by what they need of the host and of memory. There must be a mode.
const GroupMode& advised_mode(const std::vector<GroupMode>& modes);

/// All modes of one plan, and the advised one.
struct GroupModes {
  std::vector<GroupMode> modes;  // device-only, host-precompute, dynamic
  GroupSchedule advised = GroupSchedule::DeviceOnly;
  bool operator==(const GroupModes&) const = default;
};

/// Prices a group's plan under each group schedule. The plan must take its units from its config,
/// not from a given mapping.
GroupModes compare_group_modes(const Plan& plan, const DeviceSpec& device);

}  // namespace tilewright
