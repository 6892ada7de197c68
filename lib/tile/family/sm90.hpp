// The sm90 family: TMA and wgmma, compute capability 9.0.
#pragma once

#include "tile/config/family.hpp"
#include "tile/config/tile_config.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {

extern const FamilyRecord kSm90Family;

/// The constants of a single product's kernel.
tw::Sm90Params sm90_params(const TileConfig& config, const Problem& problem,
                           const OperandPlaces& places = {});

/// The constants of the plan's kernel with `extras`.
tw::Sm90Params sm90_params(const Plan& plan, const KernelExtras& extras);

/// The first rule that the config breaks for a kernel with these constants, if any. The kernel is a
/// single product's (sm90_params()), or a group's or update's; then `problem` has their largest
/// extents.
std::optional<Rejection> reject_sm90(const Problem& problem, const TileConfig& config,
                                     const DeviceSpec& device, const tw::Sm90Params& kernel);
std::optional<Rejection> reject_sm90_product(const Problem& problem, const TileConfig& config,
                                             const DeviceSpec& device);
std::optional<Rejection> reject_sm90_group(const Workload& workload, const Problem& largest,
                                           const TileConfig& config, const DeviceSpec& device);
std::optional<Rejection> reject_sm90_update(const Workload& workload, const Problem& largest,
                                            const TileConfig& config, const DeviceSpec& device);

}  // namespace tilewright
