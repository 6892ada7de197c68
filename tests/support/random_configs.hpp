// Random legal configs of a space.
#pragma once

#include <random>
#include <vector>

#include "search/enumerate.hpp"
#include "support/devices.hpp"

namespace tilewright::testing {

template <class List>
const auto& pick(const List& list, std::mt19937& random) {
  return list[random() % list.size()];
}

/// `count` legal configs, kernels and rasters drawn evenly; none where none is legal.
inline std::vector<TileConfig> random_legal_configs(const Problem& problem,
                                                    const SearchSpace& space, size_t count,
                                                    std::mt19937& random) {
  const std::vector<LegalKernel> kernels = enumerate(problem, space, h200()).kernels;
  std::vector<TileConfig> configs;
  while (!kernels.empty() && configs.size() < count) {
    const LegalKernel& kernel = pick(kernels, random);
    TileConfig config = kernel.config;
    config.raster = pick(kernel.rasters, random);
    configs.push_back(config);
  }
  return configs;
}

}  // namespace tilewright::testing
