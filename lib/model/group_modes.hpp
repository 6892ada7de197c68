// Which way of finding a group's units costs least: the device's search, the host's table, or a
// counter.
#pragma once

#include <string>
#include <vector>

#include "model/estimate.hpp"
#include "tile/plan/plan.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// A launch with one of the group schedules.
struct GroupMode {
  GroupSchedule schedule = GroupSchedule::DeviceOnly;
  double predicted_us = 0;
  std::string not_runnable;  // why no kernel of ours runs it; empty: one does
  bool operator==(const GroupMode&) const = default;
};

/// All of them for one plan, and the one to use: of those that kernels run, if any, the fastest
/// predicted; of those within kTimeResolution of it the one that asks least of the host and of
/// memory: device-only before dynamic before host-precompute.
struct GroupModes {
  std::vector<GroupMode> modes;  // device-only, host-precompute, dynamic
  GroupSchedule advised = GroupSchedule::DeviceOnly;
  bool operator==(const GroupModes&) const = default;
};

/// Prices the plan of a group under each group mode. The plan takes its units from its config, not
/// from a given mapping.
GroupModes compare_group_modes(const Plan& plan, const DeviceSpec& device);

}  // namespace tilewright
