// The picture of a raster on a grid: tiles by wave, the path of the slots, overhang outside.
#pragma once

#include <optional>
#include <string_view>

#include "draw/scene.hpp"
#include "tile/grid_report.hpp"

namespace tilewright {

/// Tiles a side that a picture holds, overhang included.
inline constexpr int kMostDrawnTiles = 512;

/// Throws a usage error for grids beyond kMostDrawnTiles a side.
void require_drawable(TileCoord grid);

/// What colours tell apart.
enum class GridColor { Slot, Wave, L2 };

/// "slot", "wave" or "l2". Throws a usage error.
GridColor parse_grid_color(std::string_view text);

/// m grows down, n right. Tiles carry their slots where these are legible. Colours are waves where
/// the report has them, else slots; L2 colours the tiles by what their wave reads from DRAM, over
/// its share of A and B, above a strip of what each wave reads. Throws a usage error for walks
/// beyond kMostDrawnTiles a side, and for colours of what the report lacks.
Scene grid_diagram(const GridReport& report, std::optional<GridColor> color = std::nullopt);

}  // namespace tilewright
