// The operand reads of a plan by waves: how often its tiles read A and B again from DRAM.
#pragma once

#include "tile/plan/grid_report.hpp"
#include "tile/plan/plan.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// True for a plan of one product whose tiles read operands again; grid_traffic() needs it.
bool has_grid_traffic(const Plan& plan);

/// Replays the plan's reads; `waves` has one entry for each round of the CTAs that run at once.
GridTraffic grid_traffic(const Plan& plan, const DeviceSpec& device);

}  // namespace tilewright
