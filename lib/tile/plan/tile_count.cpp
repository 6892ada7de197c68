#include "tile/plan/tile_count.hpp"

#include <algorithm>

#include "base/math.hpp"
#include "tile/plan/external_schedule.hpp"

namespace tilewright {
namespace {

// The columns of a triangle's row where is_active() is true.
tw::Span<int64_t> active_columns(const tw::Triangle& t, int row) {
  const int64_t above = int64_t{row} * t.cta_m;
  const int64_t columns = t.grid.n;
  if (t.lower) return {0, std::min(ceil_div<int64_t>(above + t.cta_m, t.cta_n), columns)};
  return {std::min(above / t.cta_n, columns), columns};
}

}  // namespace

int64_t visited_tiles(const Plan& plan, int problem) {
  if (plan.options.external) return external_tile_count(plan, problem);
  const PlannedProblem& p = plan.problem(problem);
  if (!is_triangular(plan.workload)) return int64_t{p.tiles.m} * p.tiles.n;
  const ClusterShape& cluster = plan.config.cluster;
  int64_t count = 0;
  for (int row = 0; row < p.map.clusters.m; ++row) {
    const tw::Span<int64_t> columns = active_columns(p.map.triangle, row);
    const int64_t rows = std::min(cluster.m, p.tiles.m - row * cluster.m);
    const int64_t end = std::min<int64_t>(columns.end * cluster.n, p.tiles.n);
    count += rows * (end - std::min(columns.begin * cluster.n, end));
  }
  return count;
}

}  // namespace tilewright
