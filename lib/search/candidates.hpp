// Which kernels are worth compiling, and which of their run-time variants are worth a try.
#pragma once

#include <vector>

#include "search/rank.hpp"

namespace tilewright {

bool contains(const std::vector<TileConfig>& configs, const TileConfig& config);

/// True if the configs differ only in what can be changed at launch.
bool same_kernel(TileConfig a, const TileConfig& b);

/// Whether the enumeration has the config in any raster. Neighbours may split K in ways that the
/// space lacks.
bool is_enumerated(const TileConfig& config, const Enumeration& enumeration);

/// Tiles that differ in schedule or division count as different tiles: there the model's order is
/// least reliable.
bool same_tile(const TileConfig& a, const TileConfig& b);

/// Every ranked kernel in the order in which to try them: the best predicted first, but only a few
/// of any tile, and all clusters of the best tiles.
std::vector<RankedConfig> diverse_order(const std::vector<RankedConfig>& kernels);

/// Other rasters for a kernel: its best predicted ones and a sample of the rest, without the raster
/// of `config`.
std::vector<RankedConfig> raster_variants(const Workload& workload, const TileConfig& config,
                                          const std::vector<Raster>& rasters,
                                          const DeviceSpec& device);

/// The config with the default promotion, and without operands to evict first.
TileConfig without_l2_requests(TileConfig config);

/// The config with each other choice of operands to evict first that the spaces have.
std::vector<TileConfig> other_evictions(const TileConfig& config,
                                        const std::vector<SearchSpace>& spaces);

/// The config with each other L2 promotion that the spaces have.
std::vector<TileConfig> other_promotions(const TileConfig& config,
                                         const std::vector<SearchSpace>& spaces);

/// Legal configs of the spaces one step from `config`: a stage or two more or fewer; 8 or 16
/// columns of the tile more or fewer; if K is split, other slice counts that the device holds (any
/// for a group), and other reductions. There the model's order is least reliable.
std::vector<RankedConfig> neighbours(const Workload& workload, const TileConfig& config,
                                     const std::vector<SearchSpace>& spaces,
                                     const DeviceSpec& device);

}  // namespace tilewright
