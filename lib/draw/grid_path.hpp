// The walk of a raster over the tiles of a picture, and the numbers of the slots.
#pragma once

#include <span>
#include <vector>

#include "draw/grid_frame.hpp"
#include "draw/legend.hpp"
#include "draw/scene.hpp"
#include "tile/config/raster.hpp"

namespace tilewright {

/// The path through the centres of tiles, its start and its end. Where tiles are too small for it,
/// a path through the middles of so many tiles in a row, of as many stretches as have room for the
/// numbers of their first and last slots.
std::vector<SceneItem> path_items(const GridFrame& frame);

/// What every tile tells when it is pointed at, and its slot where that is legible: in a corner
/// that the path leaves free.
std::vector<SceneItem> slot_items(const GridFrame& frame);

/// What the path means.
LegendEntry path_legend(const GridFrame& frame);

/// The walk of a raster as lines: steps to a neighbour, and jumps. Corners of one line through tile
/// centres. A jump has two; steps have those where they turn.
struct PathRun {
  bool jump = false;
  std::vector<TileCoord> corners;
  bool operator==(const PathRun&) const = default;
};

/// Runs that, one after the other, visit `order`; none for fewer than two tiles.
std::vector<PathRun> path_runs(std::span<const TileCoord> order);

}  // namespace tilewright
