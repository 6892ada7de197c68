// The tile mapping that a harness exports, as a grid that can be proved, predicted and drawn.
#pragma once

#include <cstdint>

#include "request/options.hpp"
#include "tile/plan/grid_report.hpp"

namespace tilewright {

/// The order of tiles on their grid. Sizes of a tile and K are in elements.
struct HarnessGrid {
  TileCoord tiles;
  GivenOrder order;
  int64_t tile_m = 0;
  int64_t tile_n = 0;
  int64_t k = 0;
};

/// Queries the library of `options.harness`, in a process of its own, for the tile that each slot
/// computes in the problem `options.grid`. Throws a usage error where the library exports no
/// mapping or does not take the problem, an environment error where it needs a GPU and the host has
/// none.
HarnessGrid harness_grid(const GridOptions& options);

}  // namespace tilewright
