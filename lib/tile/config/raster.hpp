// CTA rasters by name: the host's way to the mapping functions of kernels/tile_map.cuh.
#pragma once

#include <string>
#include <string_view>

#include "map/tile_map.cuh"

namespace tilewright {

using tw::Raster;
using tw::TileCoord;

/// Every raster's spelling, for help and messages.
inline constexpr std::string_view kRasterSpellings =
    "row, col, split-merge:F[xF2][@m|@n], swizzle-merge:F[,F2...][@m|@n], triton:G, "
    "snake:F[@m|@n], cutlass2:N, cutlass2-nopad:N, cutlass3:N[@m|@n], cutlass-dsl:N[@m|@n], "
    "hilbert, morton";

/// One of kRasterSpellings to a raster; a usage error says what is wrong and which rasters exist.
Raster parse_raster(std::string_view text);

/// The text that parses back to the same raster ("@m" is the default and left out).
std::string to_string(const Raster& raster);

/// "13x10" to a grid in tiles, each extent in [1, 2^31). Throws a usage error.
TileCoord parse_grid(std::string_view text);

}  // namespace tilewright
