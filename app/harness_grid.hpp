// The mapping that a harness exports, as a grid that is proved, predicted and drawn.
#pragma once

#include "options.hpp"
#include "tile/plan/grid_report.hpp"

namespace tilewright {

/// The order of tiles, and the options of a grid that has it: tiles instead of a problem, with a
/// device also the tile and K that its traffic is predicted by.
struct HarnessGrid {
  GridOptions options;
  GivenOrder order;
};

/// Asks the library of `options.harness`, in a process of its own, which tile of the problem
/// `options.grid` each slot computes. Throws a usage error where it does not say or does not take
/// the problem, an environment error where it needs a GPU that there is none of.
HarnessGrid harness_grid(const GridOptions& options);

}  // namespace tilewright
