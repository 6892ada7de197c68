// Every raster worth considering for one problem and tile, in the order that the model predicts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/check_expression.hpp"
#include "model/estimate.hpp"
#include "search/result.hpp"

namespace tilewright {

struct RankedRaster {
  Raster raster;
  Estimate predicted;
  double waste_pct = 0;  // slots without a tile, over the tiles
  bool operator==(const RankedRaster&) const = default;
};

/// Rasters of one config in the order of ranks_before(); ties by DRAM reads, then in the list's
/// order.
struct RasterRanking {
  Problem problem;
  TileConfig config;  // its own raster has no effect
  std::string device;
  int64_t tile_count = 0;
  std::vector<RankedRaster> rasters;
  std::string not_runnable = {};  // why no kernel family runs the tile; else empty
  bool operator==(const RasterRanking&) const = default;
};

/// All kinds with the factors that cut `grid` (in clusters): some 240 on a grid of 32x32.
std::vector<Raster> known_rasters(TileCoord grid);

/// Replays every known raster under `config` but its raster, a step of `progress` each. Throws a
/// usage error for outputs of more than four million tiles.
RasterRanking rank_known_rasters(const Problem& problem, const TileConfig& config,
                                 const DeviceSpec& device, ProgressListener& progress);
RasterRanking rank_known_rasters(const Problem& problem, const TileConfig& config,
                                 const DeviceSpec& device);

/// How many rasters, from the best on, the model cannot separate from the best.
int64_t ties_of_best(const RasterRanking& ranking);

/// True if the model cannot separate row order from the best raster: there is nothing to choose.
bool no_predicted_difference(const RasterRanking& ranking);

/// The numbers of the ranking and of its best raster by their JSON keys, for checks.
std::vector<NamedNumber> numbers_of(const RasterRanking& ranking);

}  // namespace tilewright
