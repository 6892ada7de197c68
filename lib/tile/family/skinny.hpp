// The skinny family: up to 16 rows at the speed of memory, compute capability 8.0 and up.
#pragma once

#include "tile/config/family.hpp"
#include "tile/config/tile_config.hpp"

namespace tilewright {

extern const FamilyRecord kSkinnyFamily;

tw::SkinnyParams skinny_params(const TileConfig& config, const Problem& problem);

}  // namespace tilewright
