// Configs for products of any size, besides those that were tuned.
#pragma once

#include <span>
#include <vector>

#include "answer/shipped_set.hpp"

namespace tilewright {

/// The fastest config by screening_us() for each of `problems`, products of one kind: tiles of all
/// families in plain rasters, whole and divided along k, with the most stages that fit. Each once.
std::vector<TileConfig> portable_configs(std::span<const Workload> problems, const ShippedSet& set);

}  // namespace tilewright
