#include "model/group_modes.hpp"

#include <algorithm>

#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

GroupSchedule advised_of(const std::vector<GroupMode>& modes) {
  const bool any_runs = std::any_of(
      modes.begin(), modes.end(), [](const GroupMode& mode) { return mode.not_runnable.empty(); });
  const auto counts = [any_runs](const GroupMode& mode) {
    return !any_runs || mode.not_runnable.empty();
  };
  double least = 0;
  for (const GroupMode& mode : modes) {
    if (counts(mode) && (least == 0 || mode.predicted_us < least)) least = mode.predicted_us;
  }
  for (const GroupSchedule schedule :
       {GroupSchedule::DeviceOnly, GroupSchedule::Dynamic, GroupSchedule::HostPrecompute}) {
    const auto mode = std::find_if(modes.begin(), modes.end(), [schedule](const GroupMode& one) {
      return one.schedule == schedule;
    });
    if (counts(*mode) && mode->predicted_us <= least * (1 + kTimeResolution)) return schedule;
  }
  return GroupSchedule::DeviceOnly;
}

}  // namespace

GroupModes compare_group_modes(const Plan& plan, const DeviceSpec& device) {
  GroupModes compared;
  for (const GroupSchedule schedule :
       {GroupSchedule::DeviceOnly, GroupSchedule::HostPrecompute, GroupSchedule::Dynamic}) {
    TileConfig config = plan.config;
    config.group_schedule = schedule;
    const Plan other = make_plan(plan.workload, config, device, plan.options);
    const auto rejection = reject_plan(other, device);
    compared.modes.push_back(
        {schedule, estimate(other, device).us, rejection ? rejection->reason : ""});
  }
  compared.advised = advised_of(compared.modes);
  return compared;
}

}  // namespace tilewright
