// Sectors of D that two tiles share.
#pragma once

#include "tile/plan/plan.hpp"

namespace tilewright {

/// Sectors of the output of a plan of one problem to which two tiles write a part each, so that L2
/// merges them: one for each row of a tile that begins within a sector.
double shared_sectors(const Plan& plan);

}  // namespace tilewright
