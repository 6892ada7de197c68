// The layers of a grid's picture.
#pragma once

#include <vector>

#include "draw/grid_frame.hpp"
#include "draw/legend.hpp"
#include "draw/scene.hpp"
#include "tile/config/tile_config.hpp"

namespace tilewright {

/// Space that the axes need left of and above the origin, pixels.
Point axis_margin(const GridFrame& frame);

/// Tiles coloured by wave or slot, overhang hatched.
std::vector<SceneItem> tile_items(const GridFrame& frame);

/// Lines between tiles and around clusters, the outline of the matrix.
std::vector<SceneItem> line_items(const GridFrame& frame);

/// Row and column numbers, and the names m and n.
std::vector<SceneItem> axis_items(const GridFrame& frame);

/// Explains the marks that occur in the picture.
std::vector<LegendEntry> legend_entries(const GridFrame& frame);

}  // namespace tilewright
