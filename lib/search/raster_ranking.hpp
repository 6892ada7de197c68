// Every raster worth a look on one problem and tile, in the order that the model predicts.
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
  double waste_pct = 0;  // slots for nothing, of the tiles
  bool operator==(const RankedRaster&) const = default;
};

/// Rasters of one config, the fastest predicted first; equals by DRAM reads, then in the list's
/// order.
struct RasterRanking {
  Problem problem;
  TileConfig config;  // whose raster stands for all
  std::string device;
  int64_t tile_count = 0;
  std::vector<RankedRaster> rasters;
  std::string not_runnable = {};  // why no kernel family runs the tile; empty: one does
  bool operator==(const RasterRanking&) const = default;
};

/// All kinds with the factors that cut `grid` (in clusters): some 240 on a grid of 32x32.
std::vector<Raster> known_rasters(TileCoord grid);

/// Replays every known raster under `config` but its raster, a step of `progress` each. Throws a
/// usage error for outputs of more than four million tiles.
RasterRanking rank_known_rasters(const Problem& problem, const TileConfig& config,
                                 const DeviceSpec& device, Progress& progress);
RasterRanking rank_known_rasters(const Problem& problem, const TileConfig& config,
                                 const DeviceSpec& device);

/// How many, from the best on, the model cannot tell from the best.
int64_t ties_of_best(const RasterRanking& ranking);

/// Nothing to choose: the model cannot tell row order from the best raster.
bool no_predicted_difference(const RasterRanking& ranking);

/// The numbers of the ranking under their JSON keys, the best raster's among them, for checks.
std::vector<NamedNumber> numbers_of(const RasterRanking& ranking);

}  // namespace tilewright
