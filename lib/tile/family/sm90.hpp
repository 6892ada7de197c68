// The sm90 family: TMA and wgmma, compute capability 9.0.
#pragma once

#include "tile/config/family.hpp"
#include "tile/config/tile_config.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {

extern const FamilyRecord kSm90Family;

/// Of one product.
tw::Sm90Params sm90_params(const TileConfig& config, const Problem& problem,
                           const OperandPlaces& places = {});

/// The constants of the plan's kernel with such extras.
tw::Sm90Params sm90_params(const Plan& plan, const KernelExtras& extras);

/// The first rule that a product's config breaks where the kernel has these constants: those of
/// sm90_params(), or of a group's or an update's kernel, whose largest extents stand in `problem`.
std::optional<Rejection> reject_sm90(const Problem& problem, const TileConfig& config,
                                     const DeviceSpec& device, const tw::Sm90Params& kernel);
std::optional<Rejection> reject_sm90_product(const Problem& problem, const TileConfig& config,
                                             const DeviceSpec& device);
std::optional<Rejection> reject_sm90_group(const Workload& workload, const Problem& largest,
                                           const TileConfig& config, const DeviceSpec& device);
std::optional<Rejection> reject_sm90_update(const Workload& workload, const Problem& largest,
                                            const TileConfig& config, const DeviceSpec& device);

}  // namespace tilewright
