// What the kernels run of rank-k updates: one or a group, whole tiles, by the sm90 family.

#include <algorithm>
#include <limits>

#include "base/math.hpp"
#include "base/text.hpp"
#include "tile/plan/legality_rules.hpp"

namespace tilewright {
namespace {

// Slots of a launch, and k-steps of a tile.
constexpr int64_t kMostSteps = std::numeric_limits<int32_t>::max() / 16;

// Accumulators of a thread that compile free of spills in every output type, with alpha and beta
// where the kernels know them.
int most_accumulators(const Workload& w, const tw::Sm90Params& params) {
  const bool planar = w.op == MatrixOp::Her2k;
  if (planar && is_mirrored(w)) return params.consumer_warpgroups() == 3 ? 64 : 96;
  if (params.consumer_warpgroups() == 3) return planar ? 80 : 96;
  if (planar) return 136;
  return params.ping_pong() ? 168 : 176;
}

std::string why_no_slots(const Workload& workload, const GemmShape& shape, const TileConfig& c) {
  if (std::string why = why_no_triangle(c); !why.empty()) return why;
  const TileCoord grid = cluster_grid(shape, c);
  const int bands = workload.uplo == Uplo::Upper ? grid.n : grid.m;
  if (c.visitor == Visitor::Triangular && c.raster.factors[0] > bands) {
    return format("{}: a band has more rows than the grid's {}", to_string(c.raster), bands);
  }
  const PlannedProblem counted = count_problem(workload, shape, c);
  if (counted.work.slots <= kMostSteps && counted.work.k_steps <= kMostSteps) return "";
  return format("{} slots of {} k-steps are more than the kernel counts", counted.work.slots,
                counted.work.k_steps);
}

std::string why_not_run(const Workload& w, const GemmShape& largest, const TileConfig& c) {
  const std::string op = to_string(w.op);
  if (c.family != Family::Sm90) {
    return format("the {} family has no {}; sm90 has", to_string(c.family), op);
  }
  if (!std::holds_alternative<DataParallel>(c.decomposition)) {
    return format("{}: kernels of {} run whole tiles, data-parallel", to_string(c.decomposition),
                  op);
  }
  if (c.swap_ab) return format("swap_ab: {} is its own transpose", op);
  const tw::Sm90Params params = sm90_params(c, problem_of(w, 0));
  // Threads of a group know of their unit's problem, too.
  constexpr int kMostOfGroup = 128;
  const int alone = most_accumulators(w, params);
  const int most = is_group(w) ? std::min(alone, kMostOfGroup) : alone;
  if (params.accumulator_registers() > most) {
    return format("cta {} ({}) holds {} accumulators a thread; {} leaves room for {}",
                  to_string(c.cta), to_string(c.schedule), params.accumulator_registers(), op,
                  most);
  }
  return why_no_slots(w, largest, c);
}

}  // namespace

std::optional<Rejection> reject_triangle(const Workload& w) {
  const std::string op = to_string(w.op);
  const auto refuse = [](std::string why) { return Rejection{"operation", std::move(why)}; };
  if (w.layout != MatrixLayout::TN && w.layout != MatrixLayout::NT) {
    return refuse(format("layout {}: the factors of {} lie alike, in layout tn or nt",
                         to_string(w.layout), op));
  }
  if (w.bias) return refuse(format("{} has no bias", op));
  if (bytes_of(w.dtype) != 2) {
    return refuse(format("kernels of {} take operands of 16 bits, not {}", op, to_string(w.dtype)));
  }
  const bool along_k = k_contiguous_a(w.layout);
  const auto fits = [&](const GemmShape& s) {
    return s.n == 0 || s.k == 0 || tma_rows(along_k ? s.k : s.n, w.dtype);
  };
  const auto other = std::find_if_not(w.shapes.begin(), w.shapes.end(), fits);
  if (other == w.shapes.end()) {
    if (largest_product(w).shape.n > 0) return {};
    return refuse("no product of the group has an element");
  }
  const int64_t extent = along_k ? other->k : other->n;
  return refuse(
      format("{} = {}: TMA addresses rows that are a multiple of 16 bytes; {} = {} "
             "(padded with zeros) works",
             along_k ? "K" : "N", extent, along_k ? "K" : "N",
             round_up(extent, int64_t{16} / bytes_of(w.dtype))));
}

std::optional<Rejection> reject_triangle_config(const Workload& workload, const Problem& largest,
                                                const TileConfig& config,
                                                const DeviceSpec& device) {
  const std::string reason = why_not_run(workload, largest.shape, config);
  if (!reason.empty()) return Rejection{"operation", reason};
  TileConfig of_square = config;
  // On a square that is visited as a product's the raster keeps its rules.
  if (config.visitor == Visitor::Triangular) of_square.raster = {};
  of_square.visitor = {};
  Problem square = largest;
  if (is_group(workload)) {
    of_square.group_schedule = {};
    of_square.problem_order = {};
    constexpr int64_t kLeastDepth = 64;
    square.shape.k = std::max(square.shape.k, kLeastDepth);
  }
  return reject_config(square, of_square, device);
}

}  // namespace tilewright
