// The sm80 family: cp.async and mma.sync, compute capability 8.0 and up, any size and alignment.
#pragma once

#include "tile/config/family.hpp"
#include "tile/config/tile_config.hpp"

namespace tilewright {

extern const FamilyRecord kSm80Family;

/// The kernel's constants; copies are as wide as the rows' lengths and places allow.
tw::Sm80Params sm80_params(const TileConfig& config, const Problem& problem,
                           const OperandPlaces& places = {});

/// The constants of the plan's kernel with `extras`.
tw::Sm80Params sm80_params(const Plan& plan, const KernelExtras& extras);

/// True where a second kernel sums the slices of each tile.
bool sums_slices(const tw::Sm80Params& params);

/// Distance of neighbouring slices in fp32 sums, where every slice stores a whole m x n matrix: a
/// multiple of tw::kPartialVector, which the kernel that sums them reads at once.
int64_t slice_stride(const Plan& plan);

}  // namespace tilewright
