#include "tile/plan/partial_store.hpp"

#include "base/math.hpp"

namespace tilewright {
namespace {

constexpr int64_t kSumBytes = sizeof(float);

int64_t tile_bytes(const Plan& plan) {
  return int64_t{plan.config.cta.m} * plan.config.cta.n * kSumBytes;
}

PartialStore store_of(const Plan& plan, const tw::Sm90Params& params) {
  PartialStore store;
  if (plan.cluster_k() > 1) return store;
  const bool streams = std::holds_alternative<StreamK>(plan.config.decomposition);
  int64_t slots = 0;
  int64_t parts = 0;
  for (const tw::ProblemWork<int64_t>& work : plan.ordered) {
    if (is_group(plan.workload) && work.slices == 1) continue;
    slots += work.slots;
    parts += work.units();
  }
  const int64_t divided = (streams ? plan.streamed : slots) * plan.cluster_size;
  store.tiles = divided;
  if (params.stores_parts()) {
    store.tiles = (streams ? 2 * plan.launched_workers : parts) * plan.cluster_size;
  }
  if (!tw::sums_later(plan.reduction)) store.turns = divided * params.warpgroups_per_tile();
  if (tw::parts_in(plan.reduction) == tw::PartsIn::Output) store.tiles = 0;
  store.bytes = store.tiles * tile_bytes(plan);
  store.zeroed = tw::parts_in(plan.reduction) == tw::PartsIn::ZeroedTile;
  return store;
}

// Serial: a tile of sums and a turnstile a slot. Workspace: every slice keeps its own matrix, which
// a second kernel sums.
PartialStore store_of(const Plan& plan, const tw::Sm80Params& params) {
  const tw::ProblemWork<int64_t>& work = plan.problems.front().work;
  if (params.split == tw::SplitMode::Serial) {
    return {.tiles = work.slots, .bytes = work.slots * tile_bytes(plan), .turns = work.slots};
  }
  return {.tiles = work.units(), .bytes = slice_stride(plan) * work.slices * kSumBytes};
}

// Every slice keeps its own matrix; the last to arrive at a tile's counter sums the tile.
PartialStore store_of(const Plan& plan, const tw::SkinnyParams&) {
  const tw::ProblemWork<int64_t>& work = plan.problems.front().work;
  return {.tiles = work.units(),
          .bytes = slice_stride(plan) * work.slices * kSumBytes,
          .turns = work.slots};
}

}  // namespace

int64_t slice_stride(const Plan& plan) {
  const GemmShape& shape = plan.problems.front().shape;
  const int64_t elements = shape.m * shape.n;
  // sm80's second kernel reads four sums at once.
  return plan.config.family == Family::Sm80 ? round_up<int64_t>(elements, tw::kPartialVector)
                                            : elements;
}

PartialStore partial_store(const Plan& plan) {
  if (std::holds_alternative<DataParallel>(plan.config.decomposition)) return {};
  return std::visit([&plan](const auto& params) { return store_of(plan, params); }, plan.kernel);
}

}  // namespace tilewright
