// Legality rules and occupancy counts that several families use.
#pragma once

#include "tile/plan/legality.hpp"

namespace tilewright {

/// Rule wave: clusters fit in the grid of tiles, and the kernel can count the slots.
std::optional<Rejection> reject_wave(const Problem& problem, const TileConfig& config,
                                     const DeviceSpec& device);

/// Rule group: one product has no group schedule and no order of problems.
std::optional<Rejection> reject_group_keys(const Problem& problem, const TileConfig& config,
                                           const DeviceSpec& device);

/// Rule raster: factors lie within the grid.
std::optional<Rejection> reject_raster(const Problem& problem, const TileConfig& config,
                                       const DeviceSpec& device);

/// Rule operands for stacked gates and ups, of which kernels read a column of each in turn.
std::optional<Rejection> reject_stacked(const Problem& problem, const TileConfig& config,
                                        const DeviceSpec& device);

/// Rule architecture for kernels of compute capability 8.0 and up.
std::optional<Rejection> reject_below_sm80(const Problem& problem, const TileConfig& config,
                                           const DeviceSpec& device);

/// Rule operands for kernels with instructions for 16-bit operands only.
std::optional<Rejection> reject_other_than_16_bit(const Problem& problem, const TileConfig& config,
                                                  const DeviceSpec& device);

/// Rule reduction: a plan's partial sums take at most 1 GiB.
std::optional<Rejection> reject_partial_store(const Plan& plan);

/// Rule decomposition for split-K with counters in the workspace: at most tw::kMaxSplitTiles
/// tiles, and at least one k-step per slice. Also checks rule reduction.
std::optional<Rejection> reject_split(const Problem& problem, const TileConfig& config,
                                      const DeviceSpec& device,
                                      std::initializer_list<Reduction> reductions);

/// CTAs that fit a multiprocessor by threads, registers per thread and shared memory, at least 1.
int resident_ctas(int threads, int registers, int smem_bytes, const DeviceSpec& device);

}  // namespace tilewright
