// The predicted order of a space: which kernels promise most, and each one's best rasters.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "model/estimate.hpp"
#include "model/l2_replay.hpp"
#include "search/enumerate.hpp"
#include "search/space.hpp"
#include "tile/config/tile_config.hpp"
#include "tile/plan/plan.hpp"
#include "tile/workload/device_spec.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// `predicted` is estimate()'s, or that of a coarse replay where a Ranking says so.
struct RankedConfig {
  TileConfig config;
  Estimate predicted;
  bool operator==(const RankedConfig&) const = default;
};

/// Kernels, fastest predicted first, each in its best predicted raster; ties in the space's order.
/// Of a product every kernel: rasters are sorted out by coarse replays, those of kernels far behind
/// are sampled only, and the predictions of the tiles and clusters in front (of a huge product: the
/// first) are estimate()'s. Of a group or a rank-k update those that promise most by their waves
/// and traffic, each in the best of a few rasters, all by estimate().
struct Ranking {
  Enumeration enumeration;
  std::vector<RankedConfig> kernels;
  bool operator==(const Ranking&) const = default;
};

/// Ranks what is legal of the spaces. `looked_at` is the most kernels of a group or an update, by
/// default kernels_of_answer(); the list of a product does not depend on it.
Ranking rank(const Workload& workload, const std::vector<SearchSpace>& spaces,
             const DeviceSpec& device, std::optional<size_t> looked_at = std::nullopt);

/// The same of an enumeration of the spaces, or of a part of one.
Ranking rank(const Workload& workload, Enumeration found, const std::vector<SearchSpace>& spaces,
             const DeviceSpec& device, std::optional<size_t> looked_at = std::nullopt);

/// How many kernels the model looks at where its answer is the last word.
size_t kernels_of_answer(const Workload& workload);

/// The kernel's rasters, fastest predicted first; ties in the given order. The predictions of those
/// in front are estimate()'s.
std::vector<RankedConfig> rank_rasters(const Workload& workload, const TileConfig& config,
                                       const std::vector<Raster>& rasters,
                                       const DeviceSpec& device);

/// The replay that kernels of the plan's tile, cluster and raster share; none of a group, whose
/// products are priced one by one.
L2Traffic shared_traffic(const Plan& plan, const DeviceSpec& device, Grain grain = Grain::Fine);

}  // namespace tilewright
