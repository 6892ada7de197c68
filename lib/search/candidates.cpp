#include "search/candidates.hpp"

#include <algorithm>
#include <cstdlib>

#include "search/space.hpp"
#include "tile/plan/legality.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {
namespace {

// How many of the accepted configs share this config's tile, and its tile and cluster.
struct TileCounts {
  size_t tile = 0;
  size_t mapping = 0;
};

TileCounts tile_counts(const std::vector<RankedConfig>& accepted, const TileConfig& config) {
  TileCounts counts;
  for (const RankedConfig& other : accepted) {
    if (!same_tile(other.config, config)) continue;
    ++counts.tile;
    if (other.config.cluster == config.cluster) ++counts.mapping;
  }
  return counts;
}

// Predictions of one tile's clusters differ by less than the model's error.
void add_all_clusters_of_best_tiles(const std::vector<RankedConfig>& kernels,
                                    std::vector<RankedConfig>& accepted) {
  constexpr size_t kBestTiles = 6;
  std::vector<TileConfig> tiles;
  for (const RankedConfig& kernel : kernels) {
    const bool known = std::any_of(tiles.begin(), tiles.end(), [&](const TileConfig& tile) {
      return same_tile(tile, kernel.config);
    });
    if (!known && tiles.size() == kBestTiles) continue;
    if (!known) tiles.push_back(kernel.config);
    if (tile_counts(accepted, kernel.config).mapping == 0) accepted.push_back(kernel);
  }
}

// The config with other stages of the space, at most kMaxSteps away.
std::vector<TileConfig> other_stages(const TileConfig& config, const SearchSpace& space) {
  constexpr int kMaxSteps = 2;
  std::vector<TileConfig> configs;
  for (const int stages : space.stages) {
    const int steps = std::abs(stages - config.stages);
    if (steps == 0 || steps > kMaxSteps) continue;
    configs.push_back(config);
    configs.back().stages = stages;
  }
  return configs;
}

// The config with 8 or 16 columns of the tile more or fewer: the width that fills waves best may
// differ from the width with the cheapest tiles. One stage fewer if the wider tile leaves no room
// for it.
std::vector<TileConfig> other_widths(const Workload& workload, const TileConfig& config,
                                     const SearchSpace& space, const DeviceSpec& device) {
  constexpr int kMaxColumns = 16;
  // No tile is wider than one that covers all columns of a product.
  const bool covers =
      is_product(workload) && config.cta.n >= kernel_shape(workload.shapes.front(), config).n;
  std::vector<TileConfig> configs;
  for (const TileShape& cta : tile_shapes(space, workload.kind.dtype)) {
    const int columns = std::abs(cta.n - config.cta.n);
    if (cta.m != config.cta.m || cta.k != config.cta.k) continue;
    if (columns == 0 || columns > kMaxColumns || (covers && cta.n > config.cta.n)) continue;
    TileConfig other = config;
    other.cta = cta;
    if (reject_workload(workload, other, device)) --other.stages;
    const bool in_space =
        std::find(space.stages.begin(), space.stages.end(), other.stages) != space.stages.end();
    if (in_space) configs.push_back(other);
  }
  return configs;
}

// False if a tile has fewer than two slices, or if the slices of all tiles take more than one wave;
// in a group shallow products may follow the slices of deep ones.
bool is_held(const Workload& workload, const TileConfig& config, const DeviceSpec& device) {
  const int slices = std::get<SplitK>(config.decomposition).slices;
  if (slices < 2 || is_group(workload)) return slices >= 2;
  const int64_t clusters =
      count_problem(workload, workload.shapes.front(), config).work.slots * slices;
  return clusters <= resident_clusters(device, launch_cluster_size(config));
}

// The same number of slices joined in other ways, where these suit the tile.
std::vector<Decomposition> joined_otherwise(const Workload& workload, const TileConfig& config,
                                            const DeviceSpec& device) {
  const int slices = std::get<SplitK>(config.decomposition).slices;
  if (is_group(workload)) {
    return {SplitK{slices, Reduction::Serial}, SplitK{slices, Reduction::Atomic}};
  }
  std::vector<Decomposition> divisions = divisions_for(workload, config, device);
  std::erase_if(divisions, [slices](const Decomposition& other) {
    return std::get<SplitK>(other).slices != slices;
  });
  return divisions;
}

// The config with K split otherwise: a third fewer slices, a quarter fewer, a third more if the
// device holds them, and the same number with other reductions.
std::vector<TileConfig> other_splits(const Workload& workload, const TileConfig& config,
                                     const SearchSpace& space, const DeviceSpec& device) {
  const auto* const split = std::get_if<SplitK>(&config.decomposition);
  if (split == nullptr || !space.divides ||
      tw::partial_storage_of(split->reduction) == tw::PartialStorage::SharedMemory)
    return {};
  std::vector<TileConfig> configs;
  for (const int slices : {split->slices * 2 / 3, split->slices * 3 / 4, split->slices * 4 / 3}) {
    TileConfig other = config;
    other.decomposition = SplitK{slices, split->reduction};
    if (is_held(workload, other, device)) configs.push_back(other);
  }
  for (const Decomposition& other : joined_otherwise(workload, config, device)) {
    configs.push_back(config);
    configs.back().decomposition = other;
  }
  return configs;
}

// The config with each other value of one axis of its family's space.
template <class Value>
std::vector<TileConfig> others_along(const TileConfig& config,
                                     const std::vector<SearchSpace>& spaces,
                                     std::vector<Value> SearchSpace::*axis,
                                     Value TileConfig::*field) {
  std::vector<TileConfig> others;
  for (const SearchSpace& space : spaces) {
    if (space.family != config.family) continue;
    for (const Value& value : space.*axis) {
      if (value == config.*field) continue;
      others.push_back(config);
      others.back().*field = value;
    }
  }
  return others;
}

}  // namespace

bool contains(const std::vector<TileConfig>& configs, const TileConfig& config) {
  return std::find(configs.begin(), configs.end(), config) != configs.end();
}

bool same_kernel(TileConfig a, const TileConfig& b) {
  a.raster = b.raster;
  a.l2_promotion_bytes = b.l2_promotion_bytes;
  a.evict_first = b.evict_first;
  a.group_schedule = b.group_schedule;
  a.problem_order = b.problem_order;
  return a == b;
}

bool is_enumerated(const TileConfig& config, const Enumeration& enumeration) {
  return std::any_of(enumeration.kernels.begin(), enumeration.kernels.end(),
                     [&](const LegalKernel& kernel) { return same_kernel(kernel.config, config); });
}

bool same_tile(const TileConfig& a, const TileConfig& b) {
  return a.family == b.family && a.cta == b.cta && a.schedule == b.schedule &&
         a.decomposition == b.decomposition;
}

std::vector<RankedConfig> diverse_order(const std::vector<RankedConfig>& kernels) {
  constexpr size_t kMaxOfTile = 4;
  constexpr size_t kMaxOfMapping = 2;
  std::vector<RankedConfig> accepted;
  add_all_clusters_of_best_tiles(kernels, accepted);
  std::vector<RankedConfig> crowded;
  for (const RankedConfig& kernel : kernels) {
    if (std::find(accepted.begin(), accepted.end(), kernel) != accepted.end()) continue;
    const TileCounts counts = tile_counts(accepted, kernel.config);
    const bool fits = counts.tile < kMaxOfTile && counts.mapping < kMaxOfMapping;
    (fits ? accepted : crowded).push_back(kernel);
  }
  accepted.insert(accepted.end(), crowded.begin(), crowded.end());
  return accepted;
}

std::vector<RankedConfig> raster_variants(const Workload& workload, const TileConfig& config,
                                          const std::vector<Raster>& rasters,
                                          const DeviceSpec& device) {
  constexpr size_t kBest = 5;
  constexpr size_t kSampled = 4;
  const std::vector<RankedConfig> ranked = rank_rasters(workload, config, rasters, device);
  std::vector<RankedConfig> variants;
  const size_t stride = std::max<size_t>(ranked.size() / (kSampled + 1), 1);
  for (size_t i = 0; i < ranked.size(); ++i) {
    const bool sampled = i % stride == 0 && i / stride <= kSampled;
    if ((i < kBest || sampled) && ranked[i].config.raster != config.raster) {
      variants.push_back(ranked[i]);
    }
  }
  return variants;
}

TileConfig without_l2_requests(TileConfig config) {
  constexpr TileConfig kDefault;
  config.evict_first = kDefault.evict_first;
  config.l2_promotion_bytes = kDefault.l2_promotion_bytes;
  return config;
}

std::vector<TileConfig> other_evictions(const TileConfig& config,
                                        const std::vector<SearchSpace>& spaces) {
  return others_along(config, spaces, &SearchSpace::evict_first, &TileConfig::evict_first);
}

std::vector<TileConfig> other_promotions(const TileConfig& config,
                                         const std::vector<SearchSpace>& spaces) {
  return others_along(config, spaces, &SearchSpace::l2_promotion_bytes,
                      &TileConfig::l2_promotion_bytes);
}

std::vector<RankedConfig> neighbours(const Workload& workload, const TileConfig& config,
                                     const std::vector<SearchSpace>& spaces,
                                     const DeviceSpec& device) {
  std::vector<RankedConfig> accepted;
  for (const SearchSpace& space : spaces) {
    if (space.family != config.family) continue;
    std::vector<TileConfig> candidates = other_stages(config, space);
    for (const auto& more : {other_widths(workload, config, space, device),
                             other_splits(workload, config, space, device)}) {
      candidates.insert(candidates.end(), more.begin(), more.end());
    }
    // Kernels of one tile share its replay if as many of their CTAs run at once.
    const Plan own = make_plan(workload, config, device);
    const L2Traffic of_tile = shared_traffic(own, device);
    for (const TileConfig& candidate : candidates) {
      if (candidate == config || reject_workload(workload, candidate, device)) continue;
      const bool known = std::any_of(accepted.begin(), accepted.end(),
                                     [&](const auto& other) { return other.config == candidate; });
      if (known) continue;
      const Plan plan = make_plan(workload, candidate, device);
      const bool is_shared = candidate.cta == config.cta && plan.resident == own.resident;
      const L2Traffic traffic = is_shared ? of_tile : shared_traffic(plan, device);
      accepted.push_back({candidate, estimate(plan, device, traffic)});
    }
  }
  return accepted;
}

}  // namespace tilewright
