// Configs that together are near the best for products of any size.
#pragma once

#include <vector>

#include "tile/config/tile_config.hpp"

namespace tilewright {

/// Configs of all families for operands of this type, of which a library ships the kernels that are
/// worth it. tests/record/cover chose them for bf16 on Hopper and on Ampere, by the model; other
/// types have tiles of as many bytes.
std::vector<TileConfig> cover_configs(DataType operands);

}  // namespace tilewright
