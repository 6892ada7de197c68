// The picture of a raster on a grid: tiles by wave, the path of the slots, overhang outside.
#pragma once

#include <optional>
#include <string_view>

#include "draw/room.hpp"
#include "draw/scene.hpp"
#include "tile/plan/grid_report.hpp"

namespace tilewright {

/// Tiles a side that a picture holds, overhang included.
inline constexpr int kMostDrawnTiles = 512;

/// Throws a usage error for grids beyond kMostDrawnTiles a side.
void require_drawable(TileCoord grid);

/// What colours tell apart.
enum class GridColor { Slot, Wave, L2 };

/// A part of a grid: rows from `first.m`, columns from `first.n`, up to `end`, which is no part.
struct TileWindow {
  TileCoord first;
  TileCoord end;
  bool operator==(const TileWindow&) const = default;
};

/// "m0:m1,n0:n1" inside of the grid. Throws a usage error.
TileWindow parse_tile_window(std::string_view text, TileCoord grid);

/// "slot", "wave" or "l2". Throws a usage error.
GridColor parse_grid_color(std::string_view text);

/// m grows down, n right. Tiles carry their slots where these are legible. Colours are waves where
/// the report has them, else slots; L2 colours the tiles by what their wave reads from DRAM, over
/// its share of A and B, above a strip of what each wave reads. A window shows that part only,
/// without overhang. Throws a usage error for what is drawn beyond kMostDrawnTiles a side, and for
/// colours of what the report lacks.
Scene grid_diagram(const GridReport& report, std::optional<GridColor> color = std::nullopt,
                   std::optional<TileWindow> window = std::nullopt, const Room& room = {});

/// Two rasters of one grid side by side, in a narrow room one below the other, waves of one number
/// in one colour. Throws as above.
Scene grid_comparison(const GridReport& before, const GridReport& after,
                      std::optional<GridColor> color = std::nullopt,
                      std::optional<TileWindow> window = std::nullopt, const Room& room = {});

}  // namespace tilewright
