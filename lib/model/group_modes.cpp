#include "model/group_modes.hpp"

#include <algorithm>
#include <limits>

#include "tile/plan/legality.hpp"

namespace tilewright {
const GroupMode& advised_mode(const std::vector<GroupMode>& modes) {
  const bool any_runs = std::any_of(
      modes.begin(), modes.end(), [](const GroupMode& mode) { return mode.not_runnable.empty(); });
  const auto counts = [any_runs](const GroupMode& mode) {
    return !any_runs || mode.not_runnable.empty();
  };
  const auto need = [](const GroupMode& mode) {
    switch (mode.schedule) {
      case GroupSchedule::DeviceOnly: return 0;
      case GroupSchedule::Dynamic: return 1;
      case GroupSchedule::HostPrecompute: return 2;
    }
    return 3;
  };
  double least = std::numeric_limits<double>::infinity();
  for (const GroupMode& mode : modes) {
    if (counts(mode)) least = std::min(least, mode.predicted.us);
  }
  const GroupMode* advised = nullptr;
  for (const GroupMode& mode : modes) {
    if (!counts(mode) || mode.predicted.us > least * (1 + kTimeResolution)) continue;
    if (advised == nullptr || need(mode) < need(*advised)) advised = &mode;
  }
  return advised == nullptr ? modes.front() : *advised;
}

GroupModes compare_group_modes(const Plan& plan, const DeviceSpec& device) {
  GroupModes compared;
  for (const GroupSchedule schedule :
       {GroupSchedule::DeviceOnly, GroupSchedule::HostPrecompute, GroupSchedule::Dynamic}) {
    TileConfig config = plan.config;
    config.group_schedule = schedule;
    const Plan other = make_plan(plan.workload, config, device, plan.options);
    const auto rejection = reject_plan(other, device);
    compared.modes.push_back(
        {schedule, estimate(other, device), rejection ? rejection->reason : ""});
  }
  compared.advised = advised_mode(compared.modes).schedule;
  return compared;
}

}  // namespace tilewright
