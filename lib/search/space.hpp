// The space of configs: lists of values for the keys that a family and a search think about, and
// the key table's for the others; its configs are the product of all.
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
  bool k_in_bytes = false;  // k of `cta` is for 16-bit operands, and as many bytes for others
  std::vector<ClusterShape> clusters;
  std::vector<int> stages;
  std::vector<Raster> rasters;
  std::vector<int> l2_promotion_bytes;
  std::vector<EvictFirst> evict_first = {{}};
  std::vector<Decomposition> decompositions = {DataParallel{}};
  bool divides = false;        // and divisions_for() each kernel
  bool has_pointless = false;  // for some sizes another value is as good: rule pointless
  int least_stages = 2;        // of any of its kernels
  std::vector<Sm80Options> sm80 = {{}};
  std::vector<SkinnyOptions> skinny = {{}};
  ConfigRequest named = {};  // every config has these values; other keys take with_tried()'s
  bool operator==(const SearchSpace&) const = default;
};

/// Everything that the sm90 family has kernels for.
SearchSpace sm90_space();

/// The sm80 family: the tiles that pay, with the swizzle that fits; other arrangements are for
/// `restricted`.
SearchSpace sm80_space();

/// The skinny family.
SearchSpace skinny_space();

/// A space a family, fastest families first.
std::vector<SearchSpace> all_spaces();

/// The spaces of the families that the request allows, each restricted to it.
std::vector<SearchSpace> requested_spaces(const ConfigRequest& request);

/// The space's `cta` for such operands.
std::vector<TileShape> tile_shapes(const SearchSpace& space, DataType operands);

/// Every tile of the space once for such operands, in all ways but decomposition, stages, raster
/// and what loads ask of L2.
std::vector<TileConfig> tiles_of(const SearchSpace& space, DataType operands);

/// The space with every axis that the request names reduced to the named value, whether or not the
/// space had it: the rules then say why it cannot be.
SearchSpace restricted(SearchSpace space, const ConfigRequest& request);

/// Ways in which loads can ask L2: promotions times operands to evict first.
int64_t l2_request_count(const SearchSpace& space);

/// Ways to divide the config's tiles along k that are worth a try beside whole ones. None unless
/// parts fill the device: of a product so few tiles that half of it is idle, of a group of products
/// of their own sizes deepest tiles that last twice as long as what each CTA has to do on average.
/// Kernels join the parts of a group in turns or by atomics.
std::vector<Decomposition> divisions_for(const Workload& workload, const TileConfig& config,
                                         const DeviceSpec& device);

}  // namespace tilewright
