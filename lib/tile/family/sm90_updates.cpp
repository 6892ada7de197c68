// Legality of rank-k updates in the sm90 family: one update or a group, whole tiles only.

#include <algorithm>
#include <limits>

#include "base/math.hpp"
#include "base/text.hpp"
#include "map/triangle.cuh"
#include "tile/family/sm90.hpp"

namespace tilewright {
namespace {

// Limit of the slots of a launch, and of the k-steps of a tile.
constexpr int64_t kMaxSteps = std::numeric_limits<int32_t>::max() / 16;

// Accumulators per thread that compile without spills in every output type, with alpha and beta
// where the kernel has them.
int most_accumulators(const Workload& w, const tw::Sm90Params& params) {
  const bool planar = w.op == MatrixOp::Her2k;
  if (planar && is_mirrored(w)) return params.consumer_warpgroups() == 3 ? 64 : 96;
  if (params.consumer_warpgroups() == 3) return planar ? 80 : 96;
  if (planar) return 136;
  return params.ping_pong() ? 168 : 176;
}

std::string why_no_slots(const Workload& workload, const GemmShape& shape, const TileConfig& c) {
  if (std::string why = why_no_triangle_walk(c); !why.empty()) return why;
  const TileCoord grid = cluster_grid(shape, c);
  const int bands = workload.uplo == Uplo::Upper ? grid.n : grid.m;
  if (c.visitor == Visitor::Triangular && tw::band_of(c.raster) > bands) {
    return format("{}: a band has more rows than the grid's {}", to_string(c.raster), bands);
  }
  const PlannedProblem counted = count_problem(workload, shape, c);
  if (counted.work.slots <= kMaxSteps && counted.work.k_steps <= kMaxSteps) return "";
  return format("{} slots of {} k-steps are more than the kernel counts", counted.work.slots,
                counted.work.k_steps);
}

std::string why_not_run(const Workload& w, const GemmShape& largest, const TileConfig& c,
                        const tw::Sm90Params& params) {
  const std::string op = to_string(w.op);
  if (!std::holds_alternative<DataParallel>(c.decomposition)) {
    return format("{}: kernels of {} run whole tiles, data-parallel", to_string(c.decomposition),
                  op);
  }
  if (c.swap_ab) return format("swap_ab: {} is its own transpose", op);
  // Threads of a group also hold the state of their unit's problem.
  constexpr int kMaxOfGroup = 128;
  const int alone = most_accumulators(w, params);
  const int most = is_group(w) ? std::min(alone, kMaxOfGroup) : alone;
  if (params.accumulator_registers() > most) {
    return format("cta {} ({}) holds {} accumulators a thread; {} leaves room for {}",
                  to_string(c.cta), to_string(c.schedule), params.accumulator_registers(), op,
                  most);
  }
  return why_no_slots(w, largest, c);
}

}  // namespace

std::optional<Rejection> reject_sm90_update(const Workload& workload, const Problem& largest,
                                            const TileConfig& config, const DeviceSpec& device) {
  const auto kernel = std::get<tw::Sm90Params>(kSm90Family.params(workload, config, {}));
  const std::string reason = why_not_run(workload, largest.shape, config, kernel);
  if (!reason.empty()) return Rejection{"operation", reason};
  TileConfig of_square = config;
  // visitor=plain walks the square like a product, so the rules of rasters apply.
  if (config.visitor == Visitor::Triangular) of_square.raster = {};
  of_square.visitor = {};
  Problem square = largest;
  if (is_group(workload)) {
    of_square.group_schedule = {};
    of_square.problem_order = {};
    constexpr int64_t kMinDepth = 64;
    square.shape.k = std::max(square.shape.k, kMinDepth);
  }
  return reject_sm90(square, of_square, device, kernel);
}

}  // namespace tilewright
