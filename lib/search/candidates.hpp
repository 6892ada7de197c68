// Which kernels are worth compiling, and which of their run-time variants worth a try.
#pragma once

#include <vector>

#include "search/rank.hpp"

namespace tilewright {

bool contains(const std::vector<TileConfig>& configs, const TileConfig& config);

/// True where the configs differ in nothing but what can be changed at launch.
bool same_kernel(TileConfig a, const TileConfig& b);

/// Whether it is in the enumeration in any raster. Neighbours may split K as the space does not.
bool is_enumerated(const TileConfig& config, const Enumeration& enumeration);

/// Tiles that differ in schedule or in how they are divided are different tiles here: the model
/// tells them apart least well.
bool same_tile(const TileConfig& a, const TileConfig& b);

/// Every ranked kernel in the order in which to try them: the best predicted first, but no tile
/// crowds the others out, and the best tiles come with all of their clusters.
std::vector<RankedConfig> diverse_order(const std::vector<RankedConfig>& kernels);

/// Other rasters for a kernel: its best predicted ones and a sample of the rest; `config` itself
/// is not among them.
std::vector<RankedConfig> raster_variants(const Workload& workload, const TileConfig& config,
                                          const std::vector<Raster>& rasters,
                                          const DeviceSpec& device);

/// The config with the default promotion, and nothing to evict first.
TileConfig without_requests(TileConfig config);

/// The config with the spaces' other choices of operands to evict first.
std::vector<TileConfig> other_evictions(const TileConfig& config,
                                        const std::vector<SearchSpace>& spaces);

/// The config with the spaces' other L2 promotions.
std::vector<TileConfig> other_promotions(const TileConfig& config,
                                         const std::vector<SearchSpace>& spaces);

/// Configs a step from `config` that the spaces allow and the rules accept: a stage or two more or
/// fewer; 8 or 16 columns of the tile; where K is split, other slice counts that the device holds,
/// of a group any, and other reductions. The model tells them apart least well.
std::vector<RankedConfig> neighbours(const Workload& workload, const TileConfig& config,
                                     const std::vector<SearchSpace>& spaces,
                                     const DeviceSpec& device);

}  // namespace tilewright
