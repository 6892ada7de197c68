// The picture of a raster on a grid: tiles by wave, the path of the slots, overhang outside.
#pragma once

#include "draw/scene.hpp"
#include "tile/grid_report.hpp"

namespace tilewright {

/// Tiles a side that a picture holds, overhang included.
inline constexpr int kMostDrawnTiles = 512;

/// Throws a usage error for grids beyond kMostDrawnTiles a side.
void require_drawable(TileCoord grid);

/// m grows down, n right. Tiles carry their slots where these are legible. Throws a usage error for
/// walks beyond kMostDrawnTiles a side.
Scene grid_diagram(const GridReport& report);

}  // namespace tilewright
