// CTA rasters by name, for the mapping functions of kernels/map/tile_map.cuh.
#pragma once

#include <string>
#include <string_view>

#include "map/tile_map.cuh"

namespace tilewright {

using tw::Raster;
using tw::TileCoord;

/// Every raster's spelling, for help and messages: "row, col, split-merge:F[xF2][@m|@n], ...".
std::string raster_spellings();

/// Parses one of raster_spellings(). Throws a usage error with the reason and the known rasters.
Raster parse_raster(std::string_view text);

/// The text that parses back to the same raster ("@m" is the default and left out).
std::string to_string(const Raster& raster);

/// "13x10" to a grid in tiles, each extent in [1, 2^31). Throws a usage error.
TileCoord parse_grid(std::string_view text);

}  // namespace tilewright
