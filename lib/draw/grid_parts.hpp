// The layers of a grid's picture.
#pragma once

#include <vector>

#include "draw/grid_frame.hpp"
#include "draw/legend.hpp"
#include "draw/scene.hpp"
#include "tile/config/tile_config.hpp"

namespace tilewright {

/// Pixels that the axes take left of and above the origin.
Point axis_margin(const GridFrame& frame);

/// Tiles by wave or slot, overhang hatched.
std::vector<SceneItem> tile_items(const GridFrame& frame);

/// Lines between tiles and around clusters, the outline of the matrix.
std::vector<SceneItem> line_items(const GridFrame& frame);

/// Numbers of rows and columns, and which is m and n.
std::vector<SceneItem> axis_items(const GridFrame& frame);

/// What the picture's marks mean; only those that it has.
std::vector<LegendEntry> legend_entries(const GridFrame& frame);

}  // namespace tilewright
