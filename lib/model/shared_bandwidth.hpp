// The traffic of CTAs that work on different products of a group at the same time.
#pragma once

#include <vector>

#include "model/price.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {

/// CTAs share the bandwidth of L2 and DRAM with those beside them: a product of fewer units than
/// run at once moves, per k-step, the mean of a wave of the schedule around it. `loads` has one
/// entry per product, by the user's index. Products without K keep theirs.
void share_bandwidth(std::vector<StepLoad>& loads, const Plan& plan);

}  // namespace tilewright
