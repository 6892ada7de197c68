#include "search/choice.hpp"

#include <algorithm>
#include <variant>

#include "stats/sample.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/partial_store.hpp"

namespace tilewright {
namespace {

int changes_of_default(const TileConfig& config) {
  TileConfig plain;
  plain.family = config.family;
  return static_cast<int>(changed_keys(config, plain).size());
}

// Stream-K cuts a tile where a CTA's share ends: usually in two.
int slices_of(const Decomposition& decomposition) {
  if (const auto* const split = std::get_if<SplitK>(&decomposition)) return split->slices;
  return std::holds_alternative<StreamK>(decomposition) ? 2 : 1;
}

std::vector<int> raster_order(const Raster& raster) {
  // Plainer kinds come first in the table.
  const auto kind = static_cast<int>(&tw::record_of(raster.kind) - tw::kRasters);
  std::vector<int> order = {kind, raster.factor_count};
  order.insert(order.end(), raster.factors, raster.factors + raster.factor_count);
  order.push_back(static_cast<int>(raster.axis));
  return order;
}

}  // namespace

ConfigComplexity complexity_of(const Workload& workload, const TileConfig& config,
                               const DeviceSpec& device) {
  ConfigComplexity complexity{.changed_keys = changes_of_default(config),
                              .slices = slices_of(config.decomposition),
                              .workspace_bytes = 0,
                              .raster = raster_order(config.raster),
                              .config = to_string(config)};
  if (complexity.slices > 1) {
    complexity.workspace_bytes = partial_store(make_plan(workload, config, device)).bytes;
  }
  return complexity;
}

std::vector<const RaceEntry*> tie_set(const std::vector<const RaceEntry*>& ours, double confidence,
                                      double slack) {
  std::vector<const RaceEntry*> ties;
  for (const RaceEntry* const entry : ours) {
    const PairedRatio over_fastest =
        paired_ratio(entry->samples_us, ours.front()->samples_us, confidence);
    if (over_fastest.interval.low <= 1 + slack) ties.push_back(entry);
  }
  return ties;
}

const RaceEntry* plainest(const std::vector<const RaceEntry*>& ties, const Workload& workload,
                          const DeviceSpec& device) {
  const RaceEntry* best = nullptr;
  ConfigComplexity least;
  for (const RaceEntry* const entry : ties) {
    ConfigComplexity complexity = complexity_of(workload, *entry->contender.config, device);
    if (best != nullptr && least <= complexity) continue;
    best = entry;
    least = std::move(complexity);
  }
  return best;
}

}  // namespace tilewright
