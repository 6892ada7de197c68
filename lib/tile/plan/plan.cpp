#include "tile/plan/plan.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/math.hpp"
#include "base/text.hpp"
#include "map/grouped_problems.cuh"
#include "tile/plan/external_schedule.hpp"

namespace tilewright {
namespace {

constexpr int64_t kMaxUnwalked = int64_t{1} << 40;  // limit of units that are only counted

void check_triangular(const Workload& w, const TileConfig& c) {
  const std::string why = why_no_triangle_walk(c);
  if (why.empty()) return;
  const bool plain = c.visitor == Visitor::Plain;
  throw usage_error(format("{}: {}{}", to_string(w.op), why, plain ? "" : "; or add --plain"));
}

void check_emulation(const Workload& w, const TileConfig& c, const PlanOptions& o) {
  if (o.emulation == Emulation::None) return;
  if (c.raster.kind != tw::RasterKind::Cutlass3 || is_triangular(w) ||
      !std::holds_alternative<DataParallel>(c.decomposition)) {
    throw usage_error(
        "cutlass3-grouped is a data-parallel schedule with the raster cutlass3: add --raster "
        "cutlass3:4, omit --op and --decomposition");
  }
}

// `tile` and `grid` are of CTAs, or of clusters.
tw::Triangle triangle_of(const Workload& workload, const TileShape& tile, TileCoord grid) {
  return {.lower = workload.uplo != Uplo::Upper,
          .grid = grid,
          .cta_m = tile.m,
          .cta_n = tile.n,
          .band = 0};
}

// The slices of a cluster start together and compute one tile.
void check_cluster_reduction(const Plan& plan) {
  if (plan.cluster_k() == 1) return;
  constexpr int kMaxInCluster = 16;
  if (plan.cluster_k() > kMaxInCluster) {
    throw usage_error(format("{} slices do not fit in a cluster: the limit is {}", plan.cluster_k(),
                             kMaxInCluster));
  }
  if (plan.config.cluster != ClusterShape{}) {
    throw usage_error(
        "with the reduction cluster, the slices of a tile form the cluster: omit --cluster");
  }
  for (const PlannedProblem& p : plan.problems) {
    if (p.work.slices == plan.cluster_k()) continue;
    throw usage_error(format("a tile has {} k-steps, fewer than the {} slices of a cluster",
                             p.work.k_steps, plan.cluster_k()));
  }
}

// Largest K, or most work, first; problems without k-steps last where stream-K divides k-steps.
std::vector<int> scheduling_order(const Plan& plan) {
  std::vector<int> order(plan.problems.size());
  std::iota(order.begin(), order.end(), 0);
  const ProblemOrder by = plan.config.problem_order;
  const bool streams = plan.division() == tw::Division::StreamK;
  const auto before = [&](int a, int b) {
    const PlannedProblem& pa = plan.problem(a);
    const PlannedProblem& pb = plan.problem(b);
    const bool empty_a = streams && pa.work.k_steps == 0;
    const bool empty_b = streams && pb.work.k_steps == 0;
    if (empty_a != empty_b) return empty_b;
    if (by == ProblemOrder::KDescending) return pa.shape.k > pb.shape.k;
    if (by != ProblemOrder::Lpt) return false;
    if (pa.work.k_steps != pb.work.k_steps) return pa.work.k_steps > pb.work.k_steps;
    return pa.work.slots > pb.work.slots;
  };
  std::stable_sort(order.begin(), order.end(), before);
  return order;
}

// For a group: tiles of the deepest problem are cut into the requested number of slices, tiles of
// the others into as many as keep their parts about as long. In a cluster along k all are equal.
void share_slices(Plan& plan) {
  const auto* const split = std::get_if<SplitK>(&plan.config.decomposition);
  if (split == nullptr || !is_group(plan.workload) || plan.cluster_k() > 1) return;
  int deepest = 1;
  for (const PlannedProblem& p : plan.problems) deepest = std::max(deepest, p.work.k_steps);
  for (PlannedProblem& p : plan.problems) {
    const int64_t share = (int64_t{split->slices} * p.work.k_steps + deepest / 2) / deepest;
    p.work.slices = std::max(1, tw::useful_slices(p.work.k_steps, static_cast<int>(share)));
  }
}

// CTAs of the config's kernel that the device runs at once.
int64_t resident_of(const Plan& plan, const DeviceSpec& device) {
  if (plan.options.resident > 0) return plan.options.resident;
  if (!record_of(plan.config.family).persistent && plan.problems.size() == 1) {
    return int64_t{device.sm_count} * plan.ctas_per_sm;
  }
  return resident_clusters(device, static_cast<int>(plan.cluster_size)) * plan.cluster_size *
         plan.ctas_per_sm;
}

// Counts the slots and k-steps that stream-K divides, among problems that have k-steps.
void count_streamed(Plan& plan, const StreamK& stream) {
  int64_t slots = 0;
  for (const auto& work : plan.ordered) slots += work.k_steps > 0 ? work.slots : 0;
  plan.stream_k_tiles =
      tw::stream_k_tile_count<int64_t>(stream.variant, slots, std::max<int64_t>(plan.workers, 1));
  plan.units -= plan.stream_k_tiles;
  int64_t left = plan.stream_k_tiles;
  for (const auto& work : plan.ordered) {
    const int64_t taken = std::min(left, work.slots);
    const int64_t room = std::numeric_limits<int64_t>::max() - plan.stream_k_steps;
    if (work.k_steps > 0 && taken > room / work.k_steps) {
      throw usage_error(
          format("{} makes more k-steps than 64 bits count: use larger tiles or a smaller product",
                 shapes_text(plan.workload)));
    }
    plan.stream_k_steps += taken * work.k_steps;
    left -= taken;
  }
}

void count_workers(Plan& plan, const DeviceSpec& device) {
  plan.resident = resident_of(plan, device);
  if (const int sms = plan.workload.kind.sms; sms > 0) {
    plan.resident = std::min<int64_t>(plan.resident, sms / plan.cluster_size * plan.cluster_size);
  }
  // Persistent kernels launch the CTAs that run at once; the others launch one CTA per unit.
  const bool persistent = record_of(plan.config.family).persistent || plan.problems.size() > 1;
  const int64_t ctas = plan.options.external   ? std::ssize(plan.options.external->of_cta)
                       : plan.options.ctas > 0 ? plan.options.ctas
                       : persistent            ? plan.resident
                                               : plan.units * plan.cluster_size;
  plan.workers = ctas / plan.cluster_size;
  if (plan.workers < 1) {
    throw usage_error(format("{} CTAs do not hold one cluster of {}", ctas, plan.cluster_size));
  }
}

// An upper bound of the units of the busiest worker.
int64_t most_units(const Plan& plan) {
  const int64_t workers = std::max<int64_t>(plan.launched_workers, 1);
  const int64_t whole = ceil_div(plan.units, workers);
  if (plan.stream_k_tiles == 0) return whole;
  return ceil_div(plan.stream_k_steps, workers) / plan.ordered.front().k_steps + 2 + whole;
}

}  // namespace

std::string why_no_triangle_walk(const TileConfig& c) {
  if (c.visitor == Visitor::Plain) {
    return c.cluster == ClusterShape{} ? ""
                                       : "the plain visitor launches single CTAs: use cluster 1x1";
  }
  const bool banded = c.raster.kind == tw::RasterKind::SwizzleMerge && c.raster.factor_count == 1 &&
                      c.raster.axis == tw::GroupAxis::M;
  if (!banded && c.raster != Raster{}) {
    return format("{}: a triangle takes the raster row, or swizzle-merge:F with bands of F rows",
                  to_string(c.raster));
  }
  const TileShape tile = cluster_tile(c);
  if (banded || std::max(tile.m, tile.n) % std::min(tile.m, tile.n) == 0) return "";
  return format(
      "raster row groups tiles to squares: of {}x{} one side must divide the other; "
      "swizzle-merge:F takes any",
      tile.m, tile.n);
}

tw::Grouping grouping_of(const Workload& workload, const TileConfig& config) {
  if (!is_group(workload)) return tw::Grouping::None;
  switch (config.group_schedule) {
    case GroupSchedule::DeviceOnly: return tw::Grouping::Search;
    case GroupSchedule::HostPrecompute: return tw::Grouping::Table;
    case GroupSchedule::Dynamic: return tw::Grouping::Counter;
  }
  throw internal_error("a group schedule without a kernel");
}

tw::Division Plan::division() const {
  if (cluster_k() > 1) return tw::Division::None;
  return division_of(config.decomposition);
}

tw::PeerBlocks peer_blocks_of(const Workload& workload, const TileConfig& config, int rank) {
  if (!is_across_gpus(workload)) return {};
  return {.gpus = workload.parallel.gpus,
          .rank = rank,
          .chunks = config.peers.chunks,
          .order = config.peers.order,
          .own_last = !gathers_rows(workload.parallel),
          .k_chunks = config.peers.k_chunks};
}

std::string why_no_blocks(const Workload& w, const TileConfig& c) {
  const int blocks = peer_blocks_of(w, c, 0).count();
  const int rows = c.cta.m * c.cluster.m;
  const int64_t m = w.shapes.front().m;
  if (blocks == 1 || m % (int64_t{rows} * blocks) == 0) return "";
  return format("M = {} is not {} blocks ({} GPUs, {} chunks) of whole clusters of {} rows", m,
                blocks, w.parallel.gpus, c.peers.chunks, rows);
}

TileCoord launched_tiles(const Plan& plan) {
  const TileCoord clusters = plan.problems.front().map.clusters;
  return {clusters.m * plan.config.cluster.m, clusters.n * plan.config.cluster.n};
}

std::vector<Plan> plans_of_ranks(const Workload& workload, const TileConfig& config,
                                 const DeviceSpec& device, PlanOptions options) {
  std::vector<Plan> plans;
  for (int rank = 0; rank < workload.parallel.gpus; ++rank) {
    options.rank = rank;
    plans.push_back(make_plan(workload, config, device, options));
  }
  return plans;
}

PlannedProblem count_problem(const Workload& workload, const GemmShape& shape,
                             const TileConfig& config) {
  PlannedProblem p;
  p.shape = kernel_shape(shape, config);
  p.tiles = tile_grid(p.shape, config.cta);
  const TileCoord clusters = {ceil_div(p.tiles.m, config.cluster.m),
                              ceil_div(p.tiles.n, config.cluster.n)};
  p.map = {.triangular = is_triangular(workload) && config.visitor == Visitor::Triangular,
           .raster = cluster_raster(config),
           .clusters = clusters,
           .triangle = triangle_of(workload, cluster_tile(config), clusters),
           .peers = peer_blocks_of(workload, config, 0)};
  if (const std::string why = why_no_blocks(workload, config); !why.empty()) {
    throw usage_error(why);
  }
  p.map.triangle.band = tw::band_of(config.raster);
  const int64_t steps = ceil_div<int64_t>(shape.k, config.cta.k) * phases(workload.op);
  if (steps > std::numeric_limits<int32_t>::max()) {
    throw usage_error(format("{} makes {} k-steps of {}, more than the limit", to_string(shape),
                             steps, config.cta.k));
  }
  p.work.k_steps = static_cast<int>(steps);
  // A raster needs a grid of at least one tile.
  if (p.tiles.m > 0 && p.tiles.n > 0) p.work.slots = tw::slot_count<long long>(p.map);
  if (const auto* split = std::get_if<SplitK>(&config.decomposition)) {
    p.work.slices = std::max(tw::useful_slices(p.work.k_steps, split->slices), 1);
  }
  return p;
}

Plan make_plan(const Workload& workload, const TileConfig& config, const DeviceSpec& device,
               const PlanOptions& options) {
  Plan plan;
  plan.workload = workload;
  plan.config = config;
  plan.options = options;
  plan.cluster_size = launch_cluster_size(config);
  plan.reduction = reduction_of(config.decomposition);
  plan.product = problem_of(workload, 0);
  const FamilyRecord& family = record_of(config.family);
  plan.kernel = family.params(workload, config, options.places);
  plan.ctas_per_sm = workload.kind.sms > 0 ? 1 : family.ctas_per_sm(plan.kernel, device);
  if (family.loads_by_tma) plan.copies = repacked_operands(plan.product, options.places);
  if (is_triangular(workload)) {
    check_triangular(workload, config);
  } else if (config.visitor == Visitor::Plain) {
    throw usage_error("the plain visitor is for triangles: add --op syrk, syr2k or her2k");
  }
  check_emulation(workload, config, options);
  int64_t tiles = 0;
  for (const GemmShape& shape : workload.shapes) {
    plan.problems.push_back(count_problem(workload, shape, config));
    plan.problems.back().map.peers.rank = options.rank;
  }
  share_slices(plan);
  for (size_t i = 0; i < plan.problems.size(); ++i) {
    const PlannedProblem& p = plan.problems[i];
    // In a cluster along k the CTAs divide one unit's slices.
    const int64_t of_slot = plan.cluster_k() > 1 ? 1 : p.work.slices;
    const int64_t room = kMaxUnwalked / plan.cluster_size;
    if (p.work.slots > room / of_slot || plan.units + p.work.slots * of_slot > room) {
      throw usage_error(
          format("{} makes more than {} units, the limit: use larger tiles or fewer slices",
                 to_string(workload.shapes[i]), kMaxUnwalked));
    }
    plan.units += p.work.slots * of_slot;
    tiles += int64_t{p.map.clusters.m} * p.map.clusters.n;
  }
  check_cluster_reduction(plan);
  count_workers(plan, device);
  plan.order = scheduling_order(plan);
  for (const int number : plan.order) {
    plan.ordered.push_back(plan.problem(number).work);
    if (plan.cluster_k() > 1) plan.ordered.back().slices = 1;
  }
  if (options.emulation == Emulation::Cutlass3Grouped) plan.units = std::min(plan.units, tiles);
  if (const auto* stream = std::get_if<StreamK>(&config.decomposition)) {
    count_streamed(plan, *stream);
  }
  // Where the device finds the units of a group, the host does not know their number.
  plan.launched_workers =
      is_group(workload) ? plan.workers : std::min(plan.workers, plan.units + plan.stream_k_steps);
  plan.most_units = most_units(plan);
  if (options.external) count_external(plan);
  return plan;
}

Plan make_plan(const Problem& problem, const TileConfig& config, const DeviceSpec& device,
               const PlanOptions& options) {
  return make_plan(workload_of(problem), config, device, options);
}

int64_t longest_part(const Plan& plan) {
  int64_t longest = 0;
  for (const PlannedProblem& p : plan.problems) {
    if (p.work.slots == 0) continue;
    longest = std::max<int64_t>(longest, ceil_div(p.work.k_steps, p.work.slices));
  }
  return longest;
}

int64_t part_count(const Plan& plan) {
  int64_t parts = 0;
  for (const tw::ProblemWork<int64_t>& work : plan.ordered) {
    if (work.slices > 1) parts += work.units();
  }
  // Every worker begins within a stream-K tile, or with one.
  if (plan.stream_k_tiles > 0) parts += 2 * std::min(plan.workers, plan.stream_k_steps);
  return parts * plan.cluster_size;
}

std::vector<int> divided_slots_before(const Plan& plan) {
  std::vector<int> before(plan.problems.size());
  int divided = 0;
  for (const int number : plan.order) {
    before[static_cast<size_t>(number)] = divided;
    const tw::ProblemWork<int64_t>& work = plan.problem(number).work;
    if (work.slices > 1) divided += static_cast<int>(work.slots);
  }
  return before;
}

void require_walkable(const Plan& plan) {
  int64_t slots = 0;
  for (const PlannedProblem& p : plan.problems) slots += p.work.slots;
  if (std::max(slots, plan.units + plan.stream_k_tiles) * plan.cluster_size > kMaxUnits) {
    throw usage_error(
        format("{} makes more than {} units, the limit: use larger tiles or fewer slices",
               shapes_text(plan.workload), kMaxUnits));
  }
  if (part_count(plan) > kMaxParts) {
    throw usage_error(
        format("{} makes more than {} parts of tiles, the limit: use larger tiles, fewer slices or "
               "fewer CTAs",
               to_string(plan.config.decomposition), kMaxParts));
  }
}

bool visits_square(const Plan& plan) {
  return is_triangular(plan.workload) && plan.config.visitor == Visitor::Plain;
}

bool is_in_output(const Plan& plan, int problem, TileCoord tile) {
  const PlannedProblem& p = plan.problem(problem);
  if (!is_triangular(plan.workload)) return tw::is_inside(p.tiles, tile);
  return tw::is_active(triangle_of(plan.workload, plan.config.cta, p.tiles), tile);
}

std::vector<std::vector<WorkTile>> assignments(const Plan& plan) {
  if ((plan.units + plan.stream_k_tiles) * plan.cluster_size > kMaxListed) {
    throw usage_error(format("more than {} units are not listed: omit --assignments", kMaxListed));
  }
  std::vector<std::vector<WorkTile>> lists(static_cast<size_t>(plan.ctas()));
  for_each_unit(plan, [&](const ScheduledUnit& unit) {
    if (unit.kind == UnitKind::Work) lists[static_cast<size_t>(unit.cta)].push_back(unit.work);
  });
  return lists;
}

std::vector<KernelSource> kernel_sources(const Plan& plan, const KernelExtras& extras) {
  return record_of(plan.config.family).sources(plan, extras);
}

tw::LaunchWork<int> launch_work(const Plan& plan) {
  const tw::ProblemWork<int64_t>& work = plan.problems.front().work;
  return {.slots = static_cast<int>(work.slots),
          .k_steps = work.k_steps,
          .slices = work.slices,
          .stream_k_tiles = static_cast<int>(plan.stream_k_tiles)};
}

int phase_steps(const Plan& plan) {
  return plan.problems.front().work.k_steps / phases(plan.workload.op);
}

int64_t ScheduleTable::entry_count() const {
  int64_t count = 0;
  for (const auto& entries : of_worker) count += static_cast<int64_t>(entries.size());
  return count;
}

int64_t ScheduleTable::bytes() const {
  return entry_count() * static_cast<int64_t>(sizeof(tw::TableEntry)) +
         static_cast<int64_t>(of_worker.size() * sizeof(int));
}

int64_t table_bytes(const Plan& plan) {
  constexpr int64_t kTensorMapBytes = 128;
  const auto* const kernel = std::get_if<tw::Sm90Params>(&plan.kernel);
  if (kernel == nullptr || !kernel->grouped() || plan.options.external) return 0;
  const auto problems = static_cast<int64_t>(plan.problems.size());
  constexpr int64_t kIndexBytes = sizeof(int);
  const int64_t of_problem = kernel->maps_per_problem() * kTensorMapBytes +
                             static_cast<int64_t>(sizeof(tw::GroupedProblem));
  int64_t bytes = kernel->per_problem_shapes ? problems * of_problem : (problems + 1) * kIndexBytes;
  if (kernel->grouping == tw::Grouping::Table) {
    bytes += plan.units * static_cast<int64_t>(sizeof(tw::TableEntry)) +
             (plan.workers + 1 + (kernel->lists_divided_slots() ? problems : 0)) * kIndexBytes;
  }
  return bytes;
}

int output_roundings(const Plan& plan) {
  return tw::partial_storage_of(plan.reduction) == tw::PartialStorage::Output ? plan.slices() : 1;
}

int launch_cluster_size(const TileConfig& config) {
  const auto* const split = std::get_if<SplitK>(&config.decomposition);
  const bool in_cluster = split != nullptr && tw::partial_storage_of(split->reduction) ==
                                                  tw::PartialStorage::SharedMemory;
  return config.cluster.m * config.cluster.n * (in_cluster ? split->slices : 1);
}

Emulation parse_emulation(std::string_view text) {
  const std::string known = to_string(Emulation::Cutlass3Grouped);
  if (text == known) return Emulation::Cutlass3Grouped;
  throw usage_error(format("unknown emulate '{}': --emulate takes {}{}", text, known,
                           did_you_mean(text, std::vector<std::string_view>{known})));
}

std::string to_string(Emulation emulation) {
  return emulation == Emulation::Cutlass3Grouped ? "cutlass3-grouped" : "";
}

}  // namespace tilewright
