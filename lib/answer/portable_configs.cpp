#include "answer/portable_configs.hpp"

#include <limits>

#include "answer/answer_table.hpp"
#include "answer/shipped_choice.hpp"
#include "search/space.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

// Fewer tiles than a search tries: neighbours have similar prices, and one kernel serves both.
bool is_coarse(const TileConfig& config) {
  constexpr int kMaxCtas = 2;  // of a cluster
  const int n = config.cta.n;
  const int step = n <= 16 ? 8 : n <= 64 ? 16 : 32;
  return n % step == 0 && config.cluster.m * config.cluster.n <= kMaxCtas;
}

std::vector<TileConfig> tiles_for(const Workload& kind, const DeviceSpec& device) {
  std::vector<TileConfig> tiles;
  for (const SearchSpace& space : all_spaces()) {
    for (TileConfig& tile : tiles_of(space, kind.kind.dtype)) {
      if (!is_coarse(tile)) continue;
      tile.stages = max_stages(tile, problem_of(kind, 0), device);
      tiles.push_back(tile);
    }
  }
  return tiles;
}

}  // namespace

std::vector<TileConfig> portable_configs(std::span<const Workload> problems,
                                         const ShippedSet& set) {
  std::vector<TileConfig> fastest;
  if (problems.empty()) return fastest;
  const std::vector<TileConfig> tiles = tiles_for(problems.front(), set.device());
  for (const Workload& problem : problems) {
    TileConfig best;
    double best_us = std::numeric_limits<double>::infinity();
    const auto try_one = [&](const TileConfig& config) {
      const auto plan = set.plan_of(problem, config, {});
      const double us = plan ? screening_us(*plan, set.device()) : best_us;
      if (us >= best_us) return;
      best_us = us;
      best = config;
    };
    for (const TileConfig& tile : tiles) {
      try_one(tile);
      for (const Decomposition& division : divisions_for(problem, tile, set.device())) {
        TileConfig divided = tile;
        divided.decomposition = division;
        try_one(divided);
      }
    }
    if (best_us < std::numeric_limits<double>::infinity()) add_config(fastest, best);
  }
  return fastest;
}

}  // namespace tilewright
