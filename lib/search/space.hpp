// The space of configs: lists of values for the keys that a family and a search consider, and the
// key table's values for the others; its configs are the product of all.
#pragma once

#include <cstdint>
#include <vector>

#include "tile/config/config_keys.hpp"
#include "tile/config/tile_config.hpp"
#include "tile/workload/device_spec.hpp"
#include "tile/workload/problem.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// Values to try, in the order that breaks ties: earlier ones are preferred.
struct SearchSpace {
  Family family = {};
  std::vector<TileShape> cta;
  bool k_in_bytes = false;  // `cta` has k for 16-bit operands; others take as many bytes
  std::vector<ClusterShape> clusters;
  std::vector<int> stages;
  std::vector<Raster> rasters;
  std::vector<int> l2_promotion_bytes;
  std::vector<EvictFirst> evict_first = {{}};
  std::vector<Decomposition> decompositions = {DataParallel{}};
  bool divides = false;            // divisions_for() each kernel, too
  bool rejects_pointless = false;  // rule pointless: at some sizes another value is as good
  int least_stages = 2;            // of any of its kernels
  std::vector<Sm80Options> sm80 = {{}};
  std::vector<SkinnyOptions> skinny = {{}};
  ConfigRequest named = {};  // every config has these values; other keys take candidate values
  bool operator==(const SearchSpace&) const = default;
};

/// The sm90 family: everything that it has kernels for.
SearchSpace sm90_space();

/// The sm80 family: the tiles that pay, with the swizzle that fits; restricted() gives other
/// arrangements.
SearchSpace sm80_space();

/// The skinny family.
SearchSpace skinny_space();

/// One space per family, fastest families first.
std::vector<SearchSpace> all_spaces();

/// The spaces of the families that the request allows, each restricted to it.
std::vector<SearchSpace> requested_spaces(const ConfigRequest& request);

/// The space's `cta` for operands of this type.
std::vector<TileShape> tile_shapes(const SearchSpace& space, DataType operands);

/// Every tile of the space once for operands of this type, in all variants except decomposition,
/// stages, raster and L2 requests.
std::vector<TileConfig> tiles_of(const SearchSpace& space, DataType operands);

/// The space with every axis that the request names reduced to the named value, whether or not the
/// space had it: the rules then explain why it is not legal.
SearchSpace restricted(SearchSpace space, const ConfigRequest& request);

/// Number of different L2 requests of loads: promotions times operands to evict first.
int64_t l2_request_count(const SearchSpace& space);

/// Divisions of the config's tiles along k that are worth a try besides whole tiles. Empty unless
/// parts fill the device: for a product, so few tiles that half of it idles; for a group of
/// products of their own sizes, deepest tiles that last twice as long as the average work of a CTA.
/// Kernels join the parts of a group by a turnstile or by atomics.
std::vector<Decomposition> divisions_for(const Workload& workload, const TileConfig& config,
                                         const DeviceSpec& device);

}  // namespace tilewright
