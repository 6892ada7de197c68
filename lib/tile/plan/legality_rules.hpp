// The rules that families share, and those of the families beside sm90.
#pragma once

#include "tile/plan/legality.hpp"

namespace tilewright {

/// Rule wave: clusters fit the tiles, slots can be counted.
std::optional<Rejection> reject_wave(const Problem& problem, const TileConfig& config,
                                     const DeviceSpec& device);

/// Rule group: one product has no group schedule and no order of problems.
std::optional<Rejection> reject_group_keys(const Problem& problem, const TileConfig& config,
                                           const DeviceSpec& device);

/// Rule operation: what the kernels run of a rank-k update, whatever the config, and by it;
/// `largest` has the largest extents of all updates.
std::optional<Rejection> reject_triangle(const Workload& workload);
std::optional<Rejection> reject_triangle_config(const Workload& workload, const Problem& largest,
                                                const TileConfig& config, const DeviceSpec& device);
/// The largest extents of the products, of those with elements where the workload is a group of
/// gemm.
Problem largest_product(const Workload& workload);

/// Rule raster: factors lie within the grid.
std::optional<Rejection> reject_raster(const Problem& problem, const TileConfig& config,
                                       const DeviceSpec& device);

/// All rules of the sm80 family: architecture, tile-shape, warps, smem, shared-memory, registers,
/// wave, decomposition, raster.
std::optional<Rejection> reject_sm80(const Problem& problem, const TileConfig& config,
                                     const DeviceSpec& device);

/// All rules of the skinny family: architecture, tile-shape, warps, registers, layout, alignment,
/// wave, decomposition.
std::optional<Rejection> reject_skinny(const Problem& problem, const TileConfig& config,
                                       const DeviceSpec& device);

/// Rule architecture for kernels of compute capability 8.0 and up.
std::optional<Rejection> reject_below_sm80(const Problem& problem, const TileConfig& config,
                                           const DeviceSpec& device);

/// Rule operands for kernels whose instructions take 16-bit operands.
std::optional<Rejection> reject_other_than_16_bit(const Problem& problem, const TileConfig& config,
                                                  const DeviceSpec& device);

/// Rule reduction: a plan's partial sums take at most 1 GiB.
std::optional<Rejection> reject_partial_store(const Plan& plan);

/// Rule decomposition for split-K whose counters lie in the workspace: at most
/// tw::kMostSplitTiles tiles, and at least one k-step a slice; and rule
/// reduction.
std::optional<Rejection> reject_split(const Problem& problem, const TileConfig& config,
                                      const DeviceSpec& device,
                                      std::initializer_list<Reduction> reductions);

}  // namespace tilewright
