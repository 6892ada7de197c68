// The walk of a raster as lines: steps to a neighbour, and jumps.
#pragma once

#include <span>
#include <vector>

#include "tile/config/raster.hpp"

namespace tilewright {

/// Corners of one line through tile centres. A jump has two; steps have those where they turn.
struct PathRun {
  bool jump = false;
  std::vector<TileCoord> corners;
  bool operator==(const PathRun&) const = default;
};

/// Runs that, one after the other, visit `order`; none for fewer than two tiles.
std::vector<PathRun> path_runs(std::span<const TileCoord> order);

}  // namespace tilewright
