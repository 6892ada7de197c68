// The walk of a raster over the tiles of a picture, and the slot numbers.
#pragma once

#include <span>
#include <vector>

#include "draw/grid_frame.hpp"
#include "draw/legend.hpp"
#include "draw/scene.hpp"
#include "tile/config/raster.hpp"

namespace tilewright {

/// The path through the centres of tiles, with its start and its end. Where tiles are too small for
/// single steps, the path is coarse_path().
std::vector<SceneItem> path_items(const GridFrame& frame);

/// The tooltip of every tile, and its slot number where that is legible, in a corner that the
/// path does not cross.
std::vector<SceneItem> slot_items(const GridFrame& frame);

/// Explains the path.
LegendEntry path_legend(const GridFrame& frame);

/// A run of a raster's walk: steps from neighbour to neighbour, or one jump. Corners lie at tile
/// centres: a jump has two, steps have one at their ends and wherever they change direction.
struct PathRun {
  bool jump = false;
  std::vector<TileCoord> corners;
  bool operator==(const PathRun&) const = default;
};

/// Runs that together visit `order`; none for fewer than two tiles.
std::vector<PathRun> path_runs(std::span<const TileCoord> order);

}  // namespace tilewright
