#include "answer/library_price.hpp"

#include <algorithm>
#include <utility>

#include "answer/shipped_choice.hpp"
#include "base/error.hpp"
#include "search/space.hpp"
#include "tile/plan/legality.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {
namespace {

// The config of the sm90 family with this tile; in a swapped one, rows are columns of D.
TileConfig config_like(const AlgorithmMapping& mapping, bool is_swapped, KernelSchedule schedule,
                       const Workload& product, const DeviceSpec& device) {
  TileConfig config = tiles_of(sm90_space(), product.kind.dtype).front();
  config.cta.m = is_swapped ? mapping.tile_n : mapping.tile_m;
  config.cta.n = is_swapped ? mapping.tile_m : mapping.tile_n;
  config.cluster = mapping.cluster;
  if (is_swapped) std::swap(config.cluster.m, config.cluster.n);
  config.swap_ab = is_swapped;
  config.schedule = schedule;
  if (mapping.slices > 1) config.decomposition = SplitK{mapping.slices, Reduction::Workspace};
  config.stages = max_stages(config, problem_of(product, 0), device);
  return config;
}

// Nothing if parts of the config do not fit together at this size.
std::optional<double> us_of(const Workload& product, const TileConfig& config,
                            const DeviceSpec& device) {
  try {
    return replay_us(make_plan(product, config, device), device);
  } catch (const Error& error) {
    if (is_internal(error)) throw;
    return std::nullopt;
  }
}

std::optional<double> fastest_us(const Workload& product, const AlgorithmMapping& mapping,
                                 const DeviceSpec& device) {
  const WorkloadRules rules(product, device);
  std::optional<double> least;
  for (const bool is_swapped : {true, false}) {
    for (const KernelSchedule schedule : {KernelSchedule::Cooperative, KernelSchedule::PingPong}) {
      const TileConfig config = config_like(mapping, is_swapped, schedule, product, device);
      if (rules.reject(config)) continue;
      const std::optional<double> us = us_of(product, config, device);
      if (us) least = std::min(*us, least.value_or(*us));
    }
  }
  return least;
}

}  // namespace

std::optional<double> predicted_library_us(const Workload& product, const AlgorithmMapping& mapping,
                                           const DeviceSpec& device) {
  if (const std::optional<double> us = fastest_us(product, mapping, device)) return us;
  AlgorithmMapping alone = mapping;
  alone.cluster = {};
  return fastest_us(product, alone, device);
}

bool is_surely_faster(double own_us, std::optional<double> library_us) {
  return library_us && own_us < *library_us * (1 - kLibraryMargin);
}

}  // namespace tilewright
