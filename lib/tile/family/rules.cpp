#include "tile/family/rules.hpp"

#include <algorithm>
#include <limits>

#include "base/text.hpp"
#include "tile/plan/partial_store.hpp"

namespace tilewright {

std::optional<Rejection> reject_wave(const Problem& p, const TileConfig& c, const DeviceSpec&) {
  const TileCoord tiles = tile_grid(kernel_shape(p.shape, c), c.cta);
  if (c.cluster.m > tiles.m || c.cluster.n > tiles.n) {
    return Rejection{"wave", format("a cluster of {} is larger than the {}x{} tiles",
                                    to_string(c.cluster), tiles.m, tiles.n)};
  }
  const TileCoord grid = cluster_grid(p.shape, c);
  const auto slots = tw::slot_count<long long>(cluster_raster(c), grid);
  if (slots > std::numeric_limits<int32_t>::max() / 4) {
    return Rejection{"wave", format("{} slots are more than the kernel counts", slots)};
  }
  return {};
}

std::optional<Rejection> reject_group_keys(const Problem&, const TileConfig& c, const DeviceSpec&) {
  const bool plain =
      c.group_schedule == GroupSchedule::DeviceOnly && c.problem_order == ProblemOrder::Given;
  if (c.visitor == Visitor::Plain) {
    return Rejection{"group", "visitor=plain is only for triangles; this is a product"};
  }
  if (plain) return {};
  return Rejection{"group",
                   "group_schedule and problem_order are only for groups; this is one product"};
}

std::optional<Rejection> reject_raster(const Problem& p, const TileConfig& c, const DeviceSpec&) {
  if (c.raster.factor_count == 0 || tw::record_of(c.raster.kind).narrows) return {};
  const TileCoord grid = cluster_grid(p.shape, c);
  const bool along_m = c.raster.axis == tw::GroupAxis::M;
  for (int i = 0; i < c.raster.factor_count; ++i) {
    const int extent = (i % 2 == 0) == along_m ? grid.m : grid.n;
    // One group covers the axis: a smaller factor, or col or row, gives the same walk.
    if (c.raster.factors[i] > extent) {
      return Rejection{"raster", format("{}: factor {} is larger than the grid's {} groups",
                                        to_string(c.raster), c.raster.factors[i], extent)};
    }
  }
  return {};
}

std::optional<Rejection> reject_other_than_16_bit(const Problem& p, const TileConfig& c,
                                                  const DeviceSpec&) {
  if (bytes_of(p.kind.dtype) == 2) return {};
  return Rejection{"operands", format("the {} family takes operands of 16 bits, not {}",
                                      to_string(c.family), to_string(p.kind.dtype))};
}

// Where n is contiguous, a copy holds neighbouring columns.
std::optional<Rejection> reject_stacked(const Problem& p, const TileConfig& c, const DeviceSpec&) {
  if (!p.kind.epilogue.stacked || is_k_major_b(p.kind.layout)) return {};
  return Rejection{
      "operands",
      format("layout {}: the {} family takes gates and ups of {} in turn only where "
             "B's k is contiguous; use layout tn or nn",
             to_string(p.kind.layout), to_string(c.family), to_string(p.kind.epilogue))};
}

std::optional<Rejection> reject_below_sm80(const Problem&, const TileConfig& c,
                                           const DeviceSpec& d) {
  if (d.compute_major >= 8) return {};
  return Rejection{"architecture",
                   format("the {} family needs compute capability 8.0; {} has {}.{}",
                          to_string(c.family), d.name, d.compute_major, d.compute_minor)};
}

namespace {

constexpr int64_t kMaxBytes = int64_t{1} << 30;  // of partial sums

}  // namespace

std::optional<Rejection> reject_partial_store(const Plan& plan) {
  const int64_t bytes = partial_store(plan).bytes;
  if (bytes <= kMaxBytes) return {};
  return Rejection{
      "reduction",
      format("{}: {} of partial sums are more than {}", to_string(plan.config.decomposition),
             human_bytes(static_cast<double>(bytes)), human_bytes(static_cast<double>(kMaxBytes)))};
}

std::optional<Rejection> reject_split(const Problem& p, const TileConfig& c, const DeviceSpec& d,
                                      std::initializer_list<Reduction> reductions) {
  if (std::holds_alternative<DataParallel>(c.decomposition)) return {};
  const auto* const split = std::get_if<SplitK>(&c.decomposition);
  const bool known = split != nullptr && std::find(reductions.begin(), reductions.end(),
                                                   split->reduction) != reductions.end();
  if (!known) {
    std::vector<std::string> names;
    for (const Reduction reduction : reductions)
      names.push_back("split-k:S:" + to_string(reduction));
    return Rejection{"decomposition",
                     format("{}: the {} family has only data-parallel and {}",
                            to_string(c.decomposition), to_string(c.family), join(names, ", "))};
  }
  const int64_t full_steps = std::max<int64_t>(p.shape.k / c.cta.k, 1);
  if (split->slices > full_steps) {
    return Rejection{"decomposition",
                     format("{}: K = {} has {} k-steps of {}", to_string(c.decomposition),
                            p.shape.k, full_steps, c.cta.k)};
  }
  const TileCoord tiles = cluster_grid(p.shape, c);
  const auto slots = tw::slot_count<long long>(cluster_raster(c), tiles);
  if (slots > tw::kMaxSplitTiles) {
    return Rejection{"decomposition",
                     format("{}: {} tiles are more than the {} that split-K counts",
                            to_string(c.decomposition), slots, tw::kMaxSplitTiles)};
  }
  // Making a plan is costly: do so only where whole tiles of every slice would exceed the limit.
  const int64_t of_slice = slots * c.cta.m * c.cta.n * int64_t{sizeof(float)};
  if (of_slice <= kMaxBytes / split->slices) return {};
  return reject_partial_store(make_plan(p, c, d));
}

int resident_ctas(int threads, int registers, int smem_bytes, const DeviceSpec& d) {
  if (threads == 0) return 1;  // a config without warps, which no kernel can run
  const int reserved = d.sm.reserved_smem_bytes;
  const int by_smem = (d.smem_per_cta_bytes + reserved) / (smem_bytes + reserved);
  const int by_registers = d.registers_per_sm / (registers * threads);
  return std::max(1, std::min({by_smem, by_registers, d.sm.threads / threads}));
}

}  // namespace tilewright
