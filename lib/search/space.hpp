// The space of configs: one list of values an axis; its configs are the product of the lists.
#pragma once

#include <cstdint>
#include <vector>

#include "tile/tile_config.hpp"

namespace tilewright {

/// Values to try, in the order that breaks ties: earlier ones are preferred.
struct SearchSpace {
  std::vector<TileShape> cta;
  std::vector<ClusterShape> clusters;
  std::vector<int> stages;
  std::vector<KernelSchedule> schedules;
  std::vector<Raster> rasters;
  std::vector<int> l2_promotion_bytes;
  std::vector<Decomposition> decompositions = {DataParallel{}};
  bool divides = false;           // and divisions_for() each kernel
  std::vector<char> swaps = {0};  // values of swap_ab
  bool operator==(const SearchSpace&) const = default;
};

/// Everything that the sm90 family has kernels for.
SearchSpace sm90_space();

/// The space with every axis that the request names reduced to the named value, whether or not the
/// space had it: the rules then say why it cannot be.
SearchSpace restricted(SearchSpace space, const ConfigRequest& request);

/// Configs in the product, those of `divides` left out.
int64_t config_count(const SearchSpace& space);

}  // namespace tilewright
