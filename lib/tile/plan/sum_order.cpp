#include "tile/plan/sum_order.hpp"

#include <algorithm>
#include <set>
#include <variant>

#include "base/math.hpp"
#include "base/text.hpp"
#include "map/work_split.cuh"

namespace tilewright {
namespace {

// Promoted sums begin anew with every stage.
bool starts_anew(const Workload& workload) {
  return bytes_of(workload.kind.dtype) == 1;
}

// True where an element of an update sums its phases in the same order: an element that is the
// mirror image of another has the other's order, and which ones are depends on the tiles.
bool has_same_phases(const Plan& a, const Plan& b) {
  if (a.workload.op == MatrixOp::Gemm) return true;
  if (a.config.swap_ab != b.config.swap_ab || a.config.visitor != b.config.visitor) return false;
  return a.workload.uplo != Uplo::Full ||
         (a.config.cta.m == b.config.cta.m && a.config.cta.n == b.config.cta.n &&
          a.config.cluster == b.config.cluster);
}

// The most parts of a tile. A group's problems have as many as their depth asks for, so that groups
// differ by the config's number alone.
int most_slices(const Workload& workload, const TileConfig& config) {
  const auto* const split = std::get_if<SplitK>(&config.decomposition);
  if (split == nullptr) return 1;
  int64_t deepest = 0;
  for (const GemmShape& shape : workload.shapes) deepest = std::max(deepest, shape.k);
  const int64_t steps = ceil_div<int64_t>(deepest, config.cta.k) * phases(workload.op);
  const int most = tw::useful_slices(static_cast<int>(steps), split->slices);
  return most > 1 && is_group(workload) ? split->slices : std::max(most, 1);
}

bool is_same_launch(const Plan& a, const Plan& b) {
  return a.config == b.config && a.options == b.options && a.workload == b.workload;
}

// Where the sums of some element begin from zero or change hands, in elements of k, without 0.
std::set<int64_t> cuts_of(const Plan& plan) {
  std::set<int64_t> cuts;
  const int64_t stage = plan.config.cta.k;
  const int64_t k = plan.problems.front().shape.k;
  if (starts_anew(plan.workload)) {
    for (int64_t at = stage; at < k; at += stage) cuts.insert(at);
  }
  if (plan.config.family == Family::Skinny) cuts.insert(stage);
  if (const std::optional<SumOrder> order = sum_order_of(plan)) {
    const int steps = plan.problems.front().work.k_steps;
    for (int part = 1; part < order->slices; ++part) {
      cuts.insert(tw::even_share(steps, order->slices, part).begin * stage);
    }
    return cuts;
  }
  for (const std::vector<WorkTile>& works : assignments(plan)) {
    for (const WorkTile& work : works) {
      if (work.k_begin > 0) cuts.insert(work.k_begin * stage);
    }
  }
  return cuts;
}

}  // namespace

std::optional<SumOrder> sum_order_of(const Plan& plan) {
  if (plan.options.external) return std::nullopt;
  return sum_order_of(plan.workload, plan.config);
}

std::optional<SumOrder> sum_order_of(const Workload& workload, const TileConfig& config) {
  // Which tiles stream-K divides depends on how many CTAs run at once. GPUs that divide k add their
  // parts on the owner of the rows, and M decides which part is its own.
  if (std::holds_alternative<StreamK>(config.decomposition)) return std::nullopt;
  if (is_across_gpus(workload) && !gathers_rows(workload.parallel)) return std::nullopt;
  SumOrder order{.family = config.family, .slices = most_slices(workload, config)};
  if (order.slices > 1) {
    // Where each part waits for the previous one the parts are added in their order; other
    // reductions give the sums of a tile's parts to CTAs or warps, and which part one begins with
    // depends on the tile.
    order.reduction = reduction_of(config.decomposition);
    if (tw::wait_mode_of(order.reduction) != tw::WaitMode::Previous) return std::nullopt;
  }
  if (order.slices > 1 || starts_anew(workload)) order.step_k = config.cta.k;
  if (config.family == Family::Skinny) {
    order.cta = config.cta;
    order.skinny = config.skinny;
  }
  return order;
}

bool adds_like(const Workload& workload, const TileConfig& config, Family family,
               const Decomposition& decomposition) {
  TileConfig like = config;
  like.family = family;
  like.decomposition = decomposition;
  like.skinny = {};
  const std::optional<SumOrder> order = sum_order_of(workload, like);
  return order && order == sum_order_of(workload, config);
}

std::string to_string(const SumOrder& order) {
  std::string text = order.slices == 1 ? "one sum for each element"
                                       : format("{} parts of k, joined by {}", order.slices,
                                                to_string(order.reduction));
  if (order.step_k > 0) text += format(", in stages of {}", order.step_k);
  if (order.family == Family::Skinny) {
    text += format(", of {} warps in turn, {} elements each", order.skinny.k_warps, order.cta.k);
  }
  return text;
}

bool has_same_sums(const Plan& a, const Plan& b) {
  if (is_same_launch(a, b)) return determinism_of(a.config.decomposition) == "bitwise";
  const std::optional<SumOrder> order = sum_order_of(a);
  return order && order == sum_order_of(b) && has_same_phases(a, b);
}

std::optional<SumParting> first_parting(const Plan& a, const Plan& b) {
  if (has_same_sums(a, b)) return std::nullopt;
  if (a.config.family != b.config.family) {
    return SumParting{0, format("the kernels of {} and {} add within their own instructions",
                                to_string(a.config.family), to_string(b.config.family))};
  }
  const std::set<int64_t> of_a = cuts_of(a);
  const std::set<int64_t> of_b = cuts_of(b);
  const auto [at_a, at_b] = std::mismatch(of_a.begin(), of_a.end(), of_b.begin(), of_b.end());
  const bool ends_a = at_a == of_a.end();
  const bool ends_b = at_b == of_b.end();
  if (!ends_a || !ends_b) {
    const bool first = ends_b || (!ends_a && *at_a < *at_b);
    return SumParting{first ? *at_a : *at_b, format("there {} begins a sum, and {} does not",
                                                    first ? "this config" : "the other",
                                                    first ? "the other" : "this one")};
  }
  const int64_t joined = of_a.empty() ? 0 : *of_a.begin();
  for (const Plan* const plan : {&a, &b}) {
    if (sum_order_of(*plan)) continue;
    return SumParting{joined, format("{} divides tiles, or joins their parts, in an order that "
                                     "depends on the tile, on M or on which part arrives first",
                                     to_string(plan->config.decomposition))};
  }
  return SumParting{joined,
                    format("parts are joined by {} and by {}", to_string(a.config.decomposition),
                           to_string(b.config.decomposition))};
}

}  // namespace tilewright
