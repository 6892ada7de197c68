// Checks the laws of rasters by visiting all slots.
#pragma once

#include <cstddef>
#include <vector>

#include "map/tile_map.cuh"

namespace tilewright::testing {

/// Returns null, else the law that the raster breaks: the inverse undoes the map inside the grid,
/// both index types agree, every tile is visited once, nothing is negative.
inline const char* broken_law(const tw::Raster& raster, tw::TileCoord grid) {
  const int slots = tw::slot_count<int>(raster, grid);
  if (slots != tw::slot_count<long long>(raster, grid)) return "slot counts differ by index type";
  std::vector<bool> seen(static_cast<size_t>(grid.m) * static_cast<size_t>(grid.n));
  int inside = 0;
  for (int slot = 0; slot < slots; ++slot) {
    const tw::TileCoord tile = tw::tile_at(raster, grid, slot);
    if (!(tile == tw::tile_at(raster, grid, static_cast<long long>(slot)))) {
      return "tiles differ by index type";
    }
    if (tile.m < 0 || tile.n < 0) return "a tile is negative";
    if (!tw::is_inside(grid, tile)) continue;
    if (tw::slot_of<int>(raster, grid, tile) != slot) return "the inverse is another slot";
    if (tw::slot_of<long long>(raster, grid, tile) != slot) return "the wide inverse differs";
    const auto at =
        static_cast<size_t>(tile.m) * static_cast<size_t>(grid.n) + static_cast<size_t>(tile.n);
    if (seen[at]) return "a tile comes twice";
    seen[at] = true;
    ++inside;
  }
  return inside == grid.m * grid.n ? "" : "a tile is missing";
}

/// Calls visit(grid) for every grid of at most `most` tiles in each direction.
template <class Visit>
void for_grids(int most, Visit visit) {
  for (int m = 1; m <= most; ++m) {
    for (int n = 1; n <= most; ++n) visit(tw::TileCoord{m, n});
  }
}

/// True if the raster visits the grid in exactly this order.
inline bool same_order(const tw::Raster& raster, tw::TileCoord grid,
                       const std::vector<tw::TileCoord>& expected) {
  if (tw::slot_count<long long>(raster, grid) != static_cast<long long>(expected.size())) {
    return false;
  }
  for (size_t slot = 0; slot < expected.size(); ++slot) {
    if (!(tw::tile_at(raster, grid, static_cast<long long>(slot)) == expected[slot])) return false;
  }
  return true;
}

}  // namespace tilewright::testing
