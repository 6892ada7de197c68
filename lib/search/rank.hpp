// The predicted order of a space: which kernels promise most, and each one's best rasters.
#pragma once

#include <optional>
#include <vector>

#include "model/estimate.hpp"
#include "search/enumerate.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/workload/device_spec.hpp"
#include "tile/workload/problem.hpp"

namespace tilewright {

/// `predicted` is estimate()'s, or that of a coarse replay where a Ranking says so.
struct RankedConfig {
  TileConfig config;
  Estimate predicted;
  bool operator==(const RankedConfig&) const = default;
};

/// One config a kernel (tile, cluster, stages), with its best predicted raster, fastest first; ties
/// in the space's order. Rasters are sorted out by coarse replays, those of kernels far behind are
/// sampled only; the predictions of the tiles and clusters in front (of a huge product: the first)
/// are estimate()'s.
struct Ranking {
  Enumeration enumeration;
  std::vector<RankedConfig> kernels;
  bool operator==(const Ranking&) const = default;
};

Ranking rank(const Problem& problem, const std::vector<SearchSpace>& spaces,
             const DeviceSpec& device);
Ranking rank(const Problem& problem, const SearchSpace& space, const DeviceSpec& device);

/// The kernel's rasters, fastest predicted first; ties in the given order. The predictions of those
/// in front are estimate()'s.
std::vector<RankedConfig> rank_rasters(const Workload& workload, const TileConfig& config,
                                       const std::vector<Raster>& rasters,
                                       const DeviceSpec& device);

/// The same of what one launch computes. Of a group or a rank-k update the `looked_at` kernels that
/// promise most by their waves and traffic, each in the best of a few rasters, fastest predicted
/// first.
Ranking rank(const Workload& workload, const std::vector<SearchSpace>& spaces,
             const DeviceSpec& device, size_t looked_at);

/// How many kernels the model looks at where its answer is the last word.
size_t kernels_of_answer(const Workload& workload);

// Fills in what a request leaves open: one way for every verb that takes a config.

/// The best predicted legal config that has every value the request names; none where none is
/// legal.
std::optional<TileConfig> find_config(const ConfigRequest& request, const Workload& workload,
                                      const DeviceSpec& device);

/// find_config(). Throws a usage error with the rule and the reason when none is legal.
TileConfig complete_config(const ConfigRequest& request, const Workload& workload,
                           const DeviceSpec& device);
inline TileConfig complete_config(const ConfigRequest& request, const Problem& problem,
                                  const DeviceSpec& device) {
  return complete_config(request, workload_of(problem), device);
}

}  // namespace tilewright
