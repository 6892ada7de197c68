#include "tile/work_plan.hpp"

#include <algorithm>

#include "base/math.hpp"

namespace tilewright {
namespace {

int64_t slots_of(const GemmShape& shape, const TileConfig& config) {
  return tw::slot_count<long long>(cluster_raster(config), cluster_grid(shape, config));
}

int64_t k_steps_of(const GemmShape& shape, const TileConfig& config) {
  return ceil_div<int64_t>(shape.k, config.cta.k);
}

bool sums_in_cluster(const TileConfig& config) {
  return reduction_of(config.decomposition) == Reduction::Cluster;
}

}  // namespace

int launch_cluster_size(const TileConfig& config) {
  const auto* const split = std::get_if<SplitK>(&config.decomposition);
  const int along_k = split != nullptr && sums_in_cluster(config) ? split->slices : 1;
  return config.cluster.m * config.cluster.n * along_k;
}

tw::WorkPlan work_plan(const GemmShape& shape, const TileConfig& config, int64_t workers) {
  tw::WorkPlan plan{.slots = static_cast<int>(slots_of(shape, config)),
                    .k_steps = static_cast<int>(k_steps_of(shape, config))};
  if (const auto* const split = std::get_if<SplitK>(&config.decomposition)) {
    plan.slices = tw::useful_slices(plan.k_steps, split->slices);
  }
  if (const auto* const stream = std::get_if<StreamK>(&config.decomposition)) {
    plan.streamed = static_cast<int>(
        tw::streamed_tiles<int64_t>(stream->variant, plan.slots, std::max<int64_t>(workers, 1)));
  }
  return plan;
}

int64_t worker_count(const GemmShape& shape, const TileConfig& config, int64_t resident) {
  int64_t units = slots_of(shape, config);
  const int64_t k_steps = k_steps_of(shape, config);
  if (const auto* const split = std::get_if<SplitK>(&config.decomposition)) {
    if (!sums_in_cluster(config)) units *= std::min<int64_t>(split->slices, k_steps);
  }
  if (std::holds_alternative<StreamK>(config.decomposition)) units *= k_steps;
  return std::min(resident, units);
}

int64_t most_units(const tw::WorkPlan& plan, const TileConfig& config, int64_t workers) {
  if (std::holds_alternative<StreamK>(config.decomposition)) {
    const int64_t steps = ceil_div(int64_t{plan.streamed} * plan.k_steps, workers);
    const int64_t of_streamed = plan.streamed > 0 ? steps / plan.k_steps + 2 : 0;
    return of_streamed + ceil_div<int64_t>(plan.slots - plan.streamed, workers);
  }
  const int64_t slices = sums_in_cluster(config) ? 1 : plan.slices;
  return ceil_div(plan.slots * slices, workers);
}

PartialStore partial_store(const GemmShape& shape, const TileConfig& config, int64_t workers) {
  PartialStore store;
  if (std::holds_alternative<DataParallel>(config.decomposition) || sums_in_cluster(config)) {
    return store;
  }
  const tw::WorkPlan plan = work_plan(shape, config, workers);
  const Reduction reduction = reduction_of(config.decomposition);
  const bool streams = std::holds_alternative<StreamK>(config.decomposition);
  const int64_t cluster = int64_t{config.cluster.m} * config.cluster.n;
  const int64_t divided = (streams ? plan.streamed : plan.slots) * cluster;
  const tw::TileParams params = kernel_params(config, {});
  store.tiles = divided;
  if (params.stores_parts()) store.tiles = streams ? 2 * workers * cluster : divided * plan.slices;
  if (reduction != Reduction::Workspace) store.turns = divided * params.warpgroups_per_tile();
  if (reduction == Reduction::InPlace) store.tiles = 0;
  store.bytes = store.tiles * config.cta.m * config.cta.n * int64_t{sizeof(float)};
  store.zeroed = reduction == Reduction::Atomic || reduction == Reduction::AtomicTma;
  return store;
}

int output_roundings(const GemmShape& shape, const TileConfig& config) {
  const bool in_place = reduction_of(config.decomposition) == Reduction::InPlace;
  return in_place ? work_plan(shape, config, 1).slices : 1;
}

}  // namespace tilewright
