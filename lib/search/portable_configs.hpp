// Configs that products of any sizes may want, beside those that were tuned.
#pragma once

#include <span>
#include <vector>

#include "search/kernel_shelf.hpp"

namespace tilewright {

/// The fastest by the model's rough price for each of `problems`, products of one kind: tiles of
/// all families in plain rasters, whole and divided along k, as deep as fits. Each once.
std::vector<TileConfig> portable_configs(std::span<const Workload> problems,
                                         const KernelShelf& shelf);

}  // namespace tilewright
