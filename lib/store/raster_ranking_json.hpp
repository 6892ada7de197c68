// `analyze grid --rank` as JSON.
#pragma once

#include <cstdint>
#include <string>

#include "search/raster_ranking.hpp"

namespace tilewright {

/// The ranking as one JSON object, indented, with a final newline; "ranking" lists the best `top`
/// rasters.
std::string raster_ranking_json(const RasterRanking& ranking, int64_t top);

}  // namespace tilewright
