// The rules and counts that families share.
#pragma once

#include "tile/plan/legality.hpp"

namespace tilewright {

/// Rule wave: clusters fit the tiles, slots can be counted.
std::optional<Rejection> reject_wave(const Problem& problem, const TileConfig& config,
                                     const DeviceSpec& device);

/// Rule group: one product has no group schedule and no order of problems.
std::optional<Rejection> reject_group_keys(const Problem& problem, const TileConfig& config,
                                           const DeviceSpec& device);

/// Rule raster: factors lie within the grid.
std::optional<Rejection> reject_raster(const Problem& problem, const TileConfig& config,
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

/// CTAs that a multiprocessor holds by threads, registers a thread and shared memory, at least 1.
int resident_ctas(int threads, int registers, int smem_bytes, const DeviceSpec& device);

}  // namespace tilewright
