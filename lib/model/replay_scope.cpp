#include "model/replay_scope.hpp"

#include <algorithm>
#include <variant>

#include "base/math.hpp"
#include "model/placement.hpp"
#include "model/tile_cost.hpp"
#include "tile/workload/scale_layout.hpp"

namespace tilewright {
namespace {

// Most steps of a coarse replay: 1 ms of work, where a fine one has some 20; and most clusters,
// where clusters have few steps.
constexpr int64_t kMaxCoarseSteps = 10'000;
constexpr int64_t kMaxClusters = int64_t{1} << 15;
constexpr int64_t kFewestRounds = 8;
constexpr int64_t kFewestLongRounds = 2;  // where kFewestRounds would be much more work
constexpr int64_t kCoarseSteps = 4;
// The part of a problem that a replay covers: no walk of kMaxReplaySteps steps gets further along
// a side, and nothing is read twice along K.
constexpr int64_t kLongestSide = int64_t{1} << 18;  // tiles
constexpr int64_t kDeepest = int64_t{1} << 20;      // elements
// A fine replay of more steps than this takes deeper slabs; all slabs of a step must fit in the
// cache.
constexpr int64_t kManySteps = 16;
constexpr int64_t kDeepestSlab = 1024;

int64_t clusters_at_once(const Plan& plan, const DeviceSpec& device) {
  const auto size = static_cast<int>(plan.cluster_size);
  if (plan.options.ctas > 0) return std::min(plan.options.ctas, plan.resident) / size;
  return record_of(plan.config.family).persistent ? plan.resident / size
                                                  : resident_clusters(device, size);
}

int64_t slab_depth(const TileConfig& config, int64_t k, ReplayDetail detail, int64_t at_once) {
  // One round of all clusters stays within kMaxReplaySteps.
  const int64_t least = ceil_div(k, std::max<int64_t>(kMaxReplaySteps / at_once, 1));
  // Lines that are evicted first stay for about as long as all CTAs take to load a stage.
  if (config.evict_first != EvictFirst{} && detail == ReplayDetail::Fine)
    return std::max<int64_t>(config.cta.k, least);
  if (detail == ReplayDetail::Coarse)
    return std::max({kReplaySlabK, ceil_div(k, kCoarseSteps), least});
  return std::max(std::clamp(ceil_div(k, kManySteps), kReplaySlabK, kDeepestSlab), least);
}

// How many rounds of `clusters` clusters with `steps` steps each are replayed.
int64_t rounds_to_replay(int64_t clusters, int64_t steps, ReplayDetail detail) {
  const int64_t most = detail == ReplayDetail::Fine ? kMaxReplaySteps : kMaxCoarseSteps;
  const int64_t fewest =
      kFewestRounds * clusters * steps <= 2 * kMaxReplaySteps ? kFewestRounds : kFewestLongRounds;
  return std::max(fewest, std::min(most / (clusters * steps), kMaxClusters / clusters));
}

// True unless replaying the parts would be much more work than whole tiles.
bool is_scheduled_in_parts(const ReplayScope& scope) {
  if (!is_divided(scope) || scope.detail == ReplayDetail::Coarse) return false;
  const Plan& plan = scope.plan;
  const int64_t units = std::max(plan.units + plan.stream_k_tiles, plan.launched_workers);
  const int64_t whole_steps = plan.problems.front().work.slots * scope.steps;
  return units * plan.cluster_k() + whole_steps <= 2 * kMaxReplaySteps;
}

double bytes_of_element(const Workload& one, Operand operand) {
  const GemmShape& s = one.shapes.front();
  const Epilogue& e = one.kind.epilogue;
  const bool of_a = operand == Operand::A;
  const double own = bytes_of(one.kind.dtype);
  if (!tw::has_k_blocks(tw::form_of(of_a ? e.scale_a : e.scale_b))) return own;
  const double elements = static_cast<double>(of_a ? s.m : s.n) * static_cast<double>(s.k);
  return own + static_cast<double>(scale_bytes(one, operand)) / elements;
}

}  // namespace

std::optional<Plan> corner_of(const Plan& plan, const DeviceSpec& device) {
  const GemmShape& whole = plan.problems.front().shape;
  const GemmShape corner{.m = std::min(whole.m, kLongestSide * plan.config.cta.m),
                         .n = std::min(whole.n, kLongestSide * plan.config.cta.n),
                         .k = std::min(whole.k, kDeepest)};
  if (corner == whole) return std::nullopt;
  Workload workload = plan.workload;
  workload.shapes = {kernel_shape(corner, plan.config)};
  TileConfig config = plan.config;
  config.decomposition = DataParallel{};
  return make_plan(workload, config, device, plan.options);
}

ReplayScope scope_of(const Plan& whole, const Plan& plan, const DeviceSpec& device,
                     ReplayDetail detail) {
  const PlannedProblem& problem = plan.problems.front();
  ReplayScope scope{
      .whole = whole,
      .plan = plan,
      .device = device,
      .detail = detail,
      .panels = {problem, whole.config},
      .depth = problem.shape.k * phases(whole.workload.op),
      .bytes_of_a = bytes_of_element(whole.workload, Operand::A),
      .bytes_of_b = bytes_of_element(whole.workload, Operand::B),
      .output_bytes = 1.0 * bytes_of(output_type(whole.product.kind)) *
                      tw::record_of(whole.workload.op).planes /
                      tw::sum_columns_per_output(whole.product.kind.epilogue.activation),
      .mirrored = is_mirrored(whole.workload),
      .clusters = clusters_at_once(whole, device)};
  scope.slab_k = slab_depth(whole.config, scope.depth, detail, scope.clusters);
  scope.steps = ceil_div(scope.depth, scope.slab_k);
  scope.rounds = rounds_to_replay(scope.clusters, scope.steps, detail);
  scope.in_parts = is_scheduled_in_parts(scope);
  return scope;
}

bool crosses_lines(const ReplayScope& scope, int panel) {
  const bool of_a = is_of_a(scope, panel);
  const bool copied = of_a ? scope.whole.copies.a : scope.whole.copies.b;
  const ProductKind& kind = scope.whole.product.kind;
  const int64_t row_bytes = scope.whole.product.shape.k * bytes_of(kind.dtype);
  return !copied && (of_a ? is_k_major_a(kind.layout) : is_k_major_b(kind.layout)) &&
         row_bytes % kL2LineBytes != 0;
}

bool is_shared(const ReplayScope& scope, int panel) {
  const TileCoord tiles = scope.panels.tiles();
  const ClusterShape& cluster = scope.whole.config.cluster;
  return scope.panels.is_row(panel) ? tiles.n > cluster.n : tiles.m > cluster.m;
}

bool is_divided(const ReplayScope& scope) {
  return record_of(scope.plan.config.family).persistent &&
         !std::holds_alternative<DataParallel>(scope.plan.config.decomposition);
}

bool is_square(const ReplayScope& scope) {
  return scope.plan.workload.op == MatrixOp::Gemm && !scope.plan.options.external;
}

}  // namespace tilewright
