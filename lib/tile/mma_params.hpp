// Configs of the sm80 and skinny families as the kernels' constants.
#pragma once

#include "skinny_params.cuh"
#include "sm80_params.cuh"
#include "tile/tile_config.hpp"

namespace tilewright {

/// How the operands' addresses are aligned, bytes: powers of two up to 16.
struct OperandAlignment {
  int a = 16;
  int b = 16;
  bool operator==(const OperandAlignment&) const = default;
};

/// The constants of the kernel that runs a config of the sm80 family: copies are as wide as the
/// rows' length and the addresses allow.
tw::Sm80Params sm80_params(const TileConfig& config, const Problem& problem,
                           const OperandAlignment& alignment = {});

/// The constants of the kernel that runs a config of the skinny family.
tw::SkinnyParams skinny_params(const TileConfig& config, const Problem& problem);

/// Dynamic shared memory of a config's launch, of any family, bytes.
int smem_bytes(const TileConfig& config, const Problem& problem);

/// Parts that a tile's main loop is cut into: at least one k-step each.
int slice_count(const TileConfig& config, const GemmShape& shape);

}  // namespace tilewright
