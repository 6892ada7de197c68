// Configs of the sm80 and skinny families as the kernels' constants.
#pragma once

#include "skinny_params.cuh"
#include "sm80_params.cuh"
#include "tile/device_spec.hpp"
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

/// CTAs of a config of the sm80 or the skinny family that a multiprocessor holds, at least 1.
int ctas_per_sm(const TileConfig& config, const Problem& problem, const DeviceSpec& device);

/// Parts that a tile's main loop is cut into: at least one k-step each.
int slice_count(const TileConfig& config, const GemmShape& shape);

}  // namespace tilewright
