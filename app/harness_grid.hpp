// The tile mapping that a harness exports, as a grid that can be proved, predicted and drawn.
#pragma once

#include "options.hpp"
#include "tile/plan/grid_report.hpp"

namespace tilewright {

/// The order of tiles, and the grid options for it: sizes in tiles instead of a problem; with a
/// device also the tile and K for the traffic prediction.
struct HarnessGrid {
  GridOptions options;
  GivenOrder order;
};

/// Queries the library of `options.harness`, in a process of its own, for the tile that each slot
/// computes in the problem `options.grid`. Throws a usage error where the library exports no
/// mapping or does not take the problem, an environment error where it needs a GPU and the host has
/// none.
HarnessGrid harness_grid(const GridOptions& options);

}  // namespace tilewright
