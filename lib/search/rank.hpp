// The predicted order of a space: which kernels promise most, and each one's best rasters.
#pragma once

#include <vector>

#include "model/estimate.hpp"
#include "search/enumerate.hpp"

namespace tilewright {

struct RankedConfig {
  TileConfig config;
  Estimate predicted;
  bool operator==(const RankedConfig&) const = default;
};

/// One config a kernel (tile, cluster, stages), with its best predicted raster, fastest first; ties
/// in the space's order. The rasters of kernels far behind are sampled only.
struct Ranking {
  Enumeration enumeration;
  std::vector<RankedConfig> kernels;
  bool operator==(const Ranking&) const = default;
};

Ranking rank(const Problem& problem, const std::vector<SearchSpace>& spaces,
             const DeviceSpec& device);
Ranking rank(const Problem& problem, const SearchSpace& space, const DeviceSpec& device);

/// The kernel's rasters, fastest predicted first; ties in the given order.
std::vector<RankedConfig> rank_rasters(const Problem& problem, const TileConfig& config,
                                       const std::vector<Raster>& rasters,
                                       const DeviceSpec& device);

}  // namespace tilewright
