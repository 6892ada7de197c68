#include "search/candidates.hpp"

#include <algorithm>

namespace tilewright {
namespace {

// Tiles that differ in schedule or in how they are divided are different tiles here: the model
// tells them apart least well.
bool same_tile(const TileConfig& a, const TileConfig& b) {
  return a.family == b.family && a.cta == b.cta && a.schedule == b.schedule &&
         a.decomposition == b.decomposition;
}

// How many of the accepted configs share the tile, and the tile and cluster, of this one.
struct Crowd {
  size_t tile = 0;
  size_t mapping = 0;
};

Crowd crowd_of(const std::vector<RankedConfig>& accepted, const TileConfig& config) {
  Crowd crowd;
  for (const RankedConfig& other : accepted) {
    if (!same_tile(other.config, config)) continue;
    ++crowd.tile;
    if (other.config.cluster == config.cluster) ++crowd.mapping;
  }
  return crowd;
}

// Predictions of one tile's clusters differ by less than the model knows.
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
    if (crowd_of(accepted, kernel.config).mapping == 0) accepted.push_back(kernel);
  }
}

}  // namespace

std::vector<RankedConfig> diverse_order(const std::vector<RankedConfig>& kernels) {
  constexpr size_t kMostOfTile = 4;
  constexpr size_t kMostOfMapping = 2;
  std::vector<RankedConfig> accepted;
  add_all_clusters_of_best_tiles(kernels, accepted);
  std::vector<RankedConfig> crowded;
  for (const RankedConfig& kernel : kernels) {
    if (std::find(accepted.begin(), accepted.end(), kernel) != accepted.end()) continue;
    const Crowd crowd = crowd_of(accepted, kernel.config);
    const bool fits = crowd.tile < kMostOfTile && crowd.mapping < kMostOfMapping;
    (fits ? accepted : crowded).push_back(kernel);
  }
  accepted.insert(accepted.end(), crowded.begin(), crowded.end());
  return accepted;
}

std::vector<RankedConfig> raster_variants(const Problem& problem, const TileConfig& config,
                                          const std::vector<Raster>& rasters,
                                          const DeviceSpec& device) {
  constexpr size_t kBest = 5;
  constexpr size_t kSampled = 4;
  const std::vector<RankedConfig> ranked = rank_rasters(problem, config, rasters, device);
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

}  // namespace tilewright
