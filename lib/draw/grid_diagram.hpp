// The picture of a raster on a grid: tiles by wave, the path of the slots, hatched overhang.
#pragma once

#include <optional>
#include <string_view>

#include "draw/scene.hpp"
#include "tile/plan/grid_report.hpp"

namespace tilewright {

/// Most tiles along a side of a picture, overhang included.
inline constexpr int kMaxDrawnTiles = 512;

/// Throws a usage error for grids beyond kMaxDrawnTiles a side.
void require_drawable(TileCoord grid);

/// What the colours of tiles stand for.
enum class GridColor { Slot, Wave, L2, Owner };

/// A part of a grid: rows and columns from `first` up to `end`, which is excluded.
struct TileWindow {
  TileCoord first;
  TileCoord end;
  bool operator==(const TileWindow&) const = default;
};

/// Parses "m0:m1,n0:n1", which lies inside of the grid. Throws a usage error.
TileWindow parse_tile_window(std::string_view text, TileCoord grid);

/// Parses "slot", "wave", "l2" or "owner". Throws a usage error.
GridColor parse_grid_color(std::string_view text);

/// m grows down, n right. Tiles show their slots where these are legible. Colours are waves where
/// the report has them, else slots. L2 colours a tile by its wave's DRAM reads over the wave's
/// share of A and B, and adds a strip with the reads of each wave. Owner, the default where GPUs
/// share the grid, colours a tile by the GPU that owns its rows, stronger the later it is visited.
/// A window shows only its part, without overhang. Throws a usage error beyond kMaxDrawnTiles a
/// side, and for colours that need data that the report lacks.
Scene grid_diagram(const GridReport& report, std::optional<GridColor> color = std::nullopt,
                   std::optional<TileWindow> window = std::nullopt,
                   const AvailableSize& available = {});

/// Two rasters of one grid, side by side or, on a narrow page, one below the other. Waves of the
/// same number have the same colour. Throws as above.
Scene grid_comparison(const GridReport& before, const GridReport& after,
                      std::optional<GridColor> color = std::nullopt,
                      std::optional<TileWindow> window = std::nullopt,
                      const AvailableSize& available = {});

}  // namespace tilewright
