// The predicted order of a space: its most promising kernels, and the best rasters of each.
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

/// `predicted` comes from estimate(), or from a coarse replay where a Ranking has one.
struct RankedConfig {
  TileConfig config;
  Estimate predicted;
  bool operator==(const RankedConfig&) const = default;
};

/// Kernels, fastest predicted first, each in its best predicted raster; ties in the space's order.
/// A product lists every kernel: coarse replays sort the rasters, only a sample of them for kernels
/// far behind, and estimate() predicts the tiles and clusters in front (of a huge product: the
/// first), and the kernels in front that divide K. A group or a rank-k update lists the fastest
/// of the kernels that may be the fastest by waves and traffic, each in the best of a few rasters,
/// all predicted by estimate(); those in front in the group schedule that compare_group_modes()
/// advises, in the first order of problems in which that is within kTimeResolution of the fastest.
struct Ranking {
  Enumeration enumeration;
  std::vector<RankedConfig> kernels;
  bool operator==(const Ranking&) const = default;
};

/// Ranks the legal configs of the spaces. `most` is the most kernels listed for a group or an
/// update, by default kernels_of_answer(); a product's list does not depend on it.
Ranking rank(const Workload& workload, const std::vector<SearchSpace>& spaces,
             const DeviceSpec& device, std::optional<size_t> most = std::nullopt);

/// The same for an enumeration of the spaces, or for a part of one.
Ranking rank(const Workload& workload, Enumeration found, const std::vector<SearchSpace>& spaces,
             const DeviceSpec& device, std::optional<size_t> most = std::nullopt);

/// How many kernels of a group or an update are listed where the model's answer is final; `found`
/// are its legal ones.
size_t kernels_of_answer(const Workload& workload, const Enumeration& found);

/// The kernel's rasters, fastest predicted first; ties in the given order. The first ones have
/// predictions of estimate().
std::vector<RankedConfig> rank_rasters(const Workload& workload, const TileConfig& config,
                                       const std::vector<Raster>& rasters,
                                       const DeviceSpec& device);

/// The replay that kernels of the plan's tile, cluster and raster share; empty for a group, since
/// its products are priced one by one.
L2Traffic shared_traffic(const Plan& plan, const DeviceSpec& device,
                         ReplayDetail detail = ReplayDetail::Fine);

}  // namespace tilewright
