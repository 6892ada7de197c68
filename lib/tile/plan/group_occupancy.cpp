#include "tile/plan/group_occupancy.hpp"

#include <algorithm>
#include <map>

#include "base/math.hpp"

namespace tilewright {

double padding_pct(const RowPadding& p) {
  const int64_t all = p.rows + p.padded_rows;
  return all == 0 ? 0 : 100 * static_cast<double>(p.padded_rows) / static_cast<double>(all);
}

RowPadding row_padding(const Workload& workload, int tile_rows) {
  RowPadding padding{.tile_rows = tile_rows};
  for (const GemmShape& shape : workload.shapes) {
    padding.rows += shape.m;
    padding.padded_rows += round_up(shape.m, int64_t{tile_rows}) - shape.m;
  }
  return padding;
}

int tile_rows_of(const TileConfig& config) {
  return config.swap_ab ? config.cta.n : config.cta.m;
}

GroupOccupancy group_occupancy(const Plan& plan, std::span<const WorkSpan> spans) {
  std::vector<std::map<int, double>> of_cta(static_cast<size_t>(plan.ctas()));
  for (const WorkSpan& span : spans) {
    if (!is_unit(span.kind)) continue;
    of_cta[static_cast<size_t>(span.cta)][span.work.problem] += span.end_us - span.begin_us;
  }
  GroupOccupancy occupancy;
  occupancy.problems.resize(plan.problems.size());
  for (const std::map<int, double>& times : of_cta) {
    std::vector<ProblemTime>& ranked = occupancy.ctas.emplace_back();
    for (const auto& [problem, time] : times) {
      ProblemShare& share = occupancy.problems[static_cast<size_t>(problem)];
      ++share.ctas;
      share.time += time;
      occupancy.time += time;
      ranked.push_back({problem, time});
    }
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const ProblemTime& a, const ProblemTime& b) { return a.time > b.time; });
    if (!ranked.empty()) ++occupancy.problems[static_cast<size_t>(ranked.front().problem)].mostly;
  }
  return occupancy;
}

}  // namespace tilewright
