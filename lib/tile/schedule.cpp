#include "tile/schedule.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "base/error.hpp"
#include "base/math.hpp"
#include "base/text.hpp"
#include "triangle.cuh"

namespace tilewright {
namespace {

constexpr int64_t kMostUnits = int64_t{1} << 30;

bool is_triangular(const ScheduleRequest& r) {
  return r.problem.op != MatrixOp::Gemm;
}

void check_triangular(const ScheduleRequest& r) {
  const std::string op = to_string(r.problem.op);
  if (r.cluster != ClusterShape{}) {
    throw usage_error(format("{} is scheduled by single CTAs: leave --cluster out", op));
  }
  if (!r.plain && r.raster != Raster{}) {
    throw usage_error(
        format("{} walks its triangle row by row: leave --raster out, or add --plain "
               "to walk the whole square",
               op));
  }
  const int longer = std::max(r.cta.m, r.cta.n);
  if (!r.plain && longer % std::min(r.cta.m, r.cta.n) != 0) {
    throw usage_error(format("{} groups tiles to squares: of {} one side must divide the other", op,
                             to_string(r.cta)));
  }
}

void check_emulation(const ScheduleRequest& r) {
  if (r.emulation == Emulation::None) return;
  if (r.raster.kind != tw::RasterKind::Cutlass3 || is_triangular(r) ||
      !std::holds_alternative<DataParallel>(r.decomposition)) {
    throw usage_error(
        "cutlass3-grouped is a data-parallel schedule of cutlass3: add --raster "
        "cutlass3:4, leave --op and --decomposition out");
  }
}

// A cluster of slices: they follow each other in launch order and start together.
void check_cluster_reduction(const ScheduleRequest& r, const Schedule& s) {
  const auto* split = std::get_if<SplitK>(&r.decomposition);
  if (split == nullptr || split->reduction != Reduction::Cluster) return;
  constexpr int kMostInCluster = 16;
  if (split->slices > kMostInCluster || split->slices > r.ctas) {
    throw usage_error(format("{} slices are no cluster: at most {}, and no more than the {} CTAs",
                             split->slices, kMostInCluster, r.ctas));
  }
  if (r.cluster != ClusterShape{} || r.group_schedule == GroupSchedule::Dynamic ||
      r.problem_order == ProblemOrder::Lpt) {
    throw usage_error(
        "reduction cluster makes the slices of a tile the cluster: leave --cluster, "
        "dynamic and lpt out");
  }
  for (const ScheduledProblem& p : s.problems) {
    if (p.slices == split->slices) continue;
    throw usage_error(format("a tile has {} k-steps, fewer than the {} slices of a cluster",
                             p.k_steps, split->slices));
  }
}

tw::Triangle triangle_of(const ScheduleRequest& r, const ScheduledProblem& p) {
  return {
      .lower = r.problem.uplo == Uplo::Lower, .grid = p.tiles, .cta_m = r.cta.m, .cta_n = r.cta.n};
}

Raster walked_raster(const ScheduleRequest& r) {
  return tw::in_clusters(r.raster, r.cluster.m, r.cluster.n);
}

ScheduledProblem count_problem(const ScheduleRequest& r, const GemmShape& shape) {
  ScheduledProblem p;
  p.tiles = tile_grid(shape, r.cta);
  p.clusters = {ceil_div(p.tiles.m, r.cluster.m), ceil_div(p.tiles.n, r.cluster.n)};
  const int64_t steps = ceil_div<int64_t>(shape.k, r.cta.k) * phases(r.problem.op);
  if (steps > std::numeric_limits<int32_t>::max()) {
    throw usage_error(format("{} makes {} k-steps of {}, more than are counted", to_string(shape),
                             steps, r.cta.k));
  }
  p.k_steps = static_cast<int>(steps);
  p.slots = is_triangular(r) && !r.plain ? tw::triangle_slots<long long>(triangle_of(r, p))
                                         : tw::slot_count<long long>(walked_raster(r), p.clusters);
  if (const auto* split = std::get_if<SplitK>(&r.decomposition)) {
    p.slices = tw::useful_slices(p.k_steps, split->slices);
  }
  return p;
}

std::vector<int> scheduling_order(const ScheduleRequest& r,
                                  const std::vector<ScheduledProblem>& problems) {
  std::vector<int> order(problems.size());
  std::iota(order.begin(), order.end(), 0);
  if (r.problem_order == ProblemOrder::Given) return order;
  const std::vector<GemmShape>& shapes = r.problem.shapes;
  const auto before = [&](int a, int b) {
    if (r.problem_order == ProblemOrder::KDescending) {
      return shapes[static_cast<size_t>(a)].k > shapes[static_cast<size_t>(b)].k;
    }
    const ScheduledProblem& pa = problems[static_cast<size_t>(a)];
    const ScheduledProblem& pb = problems[static_cast<size_t>(b)];
    if (pa.k_steps != pb.k_steps) return pa.k_steps > pb.k_steps;
    return pa.slots > pb.slots;
  };
  std::stable_sort(order.begin(), order.end(), before);
  return order;
}

template <size_t N>
size_t parse_name(std::string_view text, const std::array<std::string_view, N>& names,
                  std::string_view option) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found != names.end()) return static_cast<size_t>(found - names.begin());
  const std::vector<std::string> known(names.begin(), names.end());
  throw usage_error(format("unknown {} '{}': {} is {}{}", option.substr(2), text, option,
                           join(known, " or "), did_you_mean(text, names)));
}

constexpr std::array<std::string_view, 3> kGroupSchedules = {"device-only", "host-precompute",
                                                             "dynamic"};
constexpr std::array<std::string_view, 3> kOrders = {"given", "k-descending", "lpt"};
constexpr std::array<std::string_view, 1> kEmulations = {"cutlass3-grouped"};

}  // namespace

ScheduleRequest schedule_request(const GemmShape& shape, const TileConfig& config, int64_t ctas) {
  ScheduleRequest request;
  request.problem.shapes = {kernel_shape(shape, config)};
  request.cta = config.cta;
  request.cluster = config.cluster;
  request.raster = config.raster;
  request.decomposition = config.decomposition;
  request.ctas = ctas;
  request.resident = ctas;
  return request;
}

Schedule make_schedule(const ScheduleRequest& request) {
  Schedule s;
  s.request = request;
  s.cluster_size = int64_t{request.cluster.m} * request.cluster.n;
  s.workers = request.ctas / s.cluster_size;
  if (s.workers < 1) {
    throw usage_error(
        format("{} CTAs do not hold one cluster of {}", request.ctas, to_string(request.cluster)));
  }
  if (is_triangular(request)) {
    check_triangular(request);
  } else if (request.plain) {
    throw usage_error("--plain is for triangular operations: add --op syrk, syr2k or her2k");
  }
  check_emulation(request);
  int64_t slots = 0;
  int64_t tiles = 0;
  for (const GemmShape& shape : request.problem.shapes) {
    s.problems.push_back(count_problem(request, shape));
    const ScheduledProblem& p = s.problems.back();
    const int64_t room = kMostUnits / s.cluster_size / p.slices;
    if (p.slots > room || s.units + p.units() > kMostUnits / s.cluster_size) {
      throw usage_error(format("{} makes more than {} units, the most that are scheduled",
                               to_string(shape), kMostUnits));
    }
    s.units += p.units();
    slots += p.slots;
    tiles += int64_t{p.clusters.m} * p.clusters.n;
  }
  check_cluster_reduction(request, s);
  if (reduction_of(request.decomposition) == Reduction::Cluster) {
    const int slices = std::get<SplitK>(request.decomposition).slices;
    s.workers = s.workers / slices * slices;
  }
  s.order = scheduling_order(request, s.problems);
  if (request.emulation == Emulation::Cutlass3Grouped) s.units = std::min(s.units, tiles);
  if (const auto* stream = std::get_if<StreamK>(&request.decomposition)) {
    s.streamed = tw::streamed_tiles<int64_t>(stream->variant, slots, s.workers);
    s.units -= s.streamed;
  }
  return s;
}

bool is_wanted(const Schedule& s, int problem, TileCoord tile) {
  const ScheduledProblem& p = s.problems[static_cast<size_t>(problem)];
  if (!is_triangular(s.request)) return tw::is_inside(p.tiles, tile);
  return tw::is_active(triangle_of(s.request, p), tile);
}

std::vector<std::vector<WorkTile>> assignments(const Schedule& s) {
  constexpr int64_t kMostListed = int64_t{1} << 22;
  if ((s.units + s.streamed) * s.cluster_size > kMostListed) {
    throw usage_error(format("more than {} units are not listed", kMostListed));
  }
  std::vector<std::vector<WorkTile>> lists(static_cast<size_t>(s.workers * s.cluster_size));
  for_each_unit(s, [&](const ScheduledUnit& unit) {
    if (unit.kind == UnitKind::Work) lists[static_cast<size_t>(unit.cta)].push_back(unit.work);
  });
  return lists;
}

GroupSchedule parse_group_schedule(std::string_view text) {
  return static_cast<GroupSchedule>(parse_name(text, kGroupSchedules, "--group-schedule"));
}

ProblemOrder parse_problem_order(std::string_view text) {
  return static_cast<ProblemOrder>(parse_name(text, kOrders, "--problem-order"));
}

Emulation parse_emulation(std::string_view text) {
  parse_name(text, kEmulations, "--emulate");
  return Emulation::Cutlass3Grouped;
}

std::string to_string(GroupSchedule schedule) {
  return std::string(kGroupSchedules[static_cast<size_t>(schedule)]);
}

std::string to_string(ProblemOrder order) {
  return std::string(kOrders[static_cast<size_t>(order)]);
}

}  // namespace tilewright
