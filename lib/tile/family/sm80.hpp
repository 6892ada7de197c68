// The sm80 family: cp.async and mma.sync, compute capability 8.0 and up, any size and alignment.
#pragma once

#include "tile/config/family.hpp"
#include "tile/config/tile_config.hpp"

namespace tilewright {

extern const FamilyRecord kSm80Family;

/// Copies are as wide as the rows' lengths and places allow.
tw::Sm80Params sm80_params(const TileConfig& config, const Problem& problem,
                           const OperandPlaces& places = {});

/// The constants of the plan's kernel with such extras.
tw::Sm80Params sm80_params(const Plan& plan, const KernelExtras& extras);

/// True where a second kernel sums the slices of each tile.
bool sums_slices(const tw::Sm80Params& params);

/// fp32 sums from one slice to the next where every slice keeps a whole m x n matrix: the kernel
/// that sums them reads tw::kPartialVector at once.
int64_t slice_stride(const Plan& plan);

}  // namespace tilewright
