#include "model/unit_lists.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>

#include "base/math.hpp"

namespace tilewright {
namespace {

// Index of each problem's first tile in the concatenation of the problems' grids.
std::vector<int64_t> first_tiles(const Plan& plan) {
  std::vector<int64_t> first;
  int64_t tiles = 0;
  for (const PlannedProblem& p : plan.problems) {
    first.push_back(tiles);
    tiles += int64_t{p.tiles.m} * p.tiles.n;
  }
  return first;
}

// Sorts the parts, and sets each unit's index into them.
void number_parts(UnitLists& lists) {
  std::sort(lists.parts.begin(), lists.parts.end(), [](const TilePart& a, const TilePart& b) {
    return std::tie(a.tile, a.k_begin) < std::tie(b.tile, b.k_begin);
  });
  for (size_t i = 0; i < lists.parts.size(); ++i) {
    const TilePart& part = lists.parts[i];
    lists.ctas[static_cast<size_t>(part.cta)][static_cast<size_t>(part.unit_index)].part =
        static_cast<int64_t>(i);
  }
}

}  // namespace

UnitLists list_units(const Plan& plan, SpanRecorder* recorder) {
  UnitLists lists;
  lists.ctas.resize(static_cast<size_t>(plan.ctas()));
  // CTAs take about equally many units: reserving the lists saves a tenth of a timeline.
  const auto mean = static_cast<size_t>(ceil_div(plan.units, std::max<int64_t>(plan.workers, 1)));
  const std::vector<int64_t> first = first_tiles(plan);
  for_each_unit(plan, [&](const ScheduledUnit& unit) {
    if (recorder != nullptr) recorder->add_unit(unit);
    if (unit.kind == UnitKind::EarlyExit) return;
    std::vector<ListedUnit>& own = lists.ctas[static_cast<size_t>(unit.cta)];
    if (own.empty()) own.reserve(mean);
    const WorkTile& w = unit.work;
    const PlannedProblem& p = plan.problem(w.problem);
    const bool works = unit.kind == UnitKind::Work;
    own.push_back({w.problem, w.k_end - w.k_begin, works, -1});
    if (!works || (w.k_begin == 0 && w.k_end == p.work.k_steps)) return;
    const int64_t tile = first[static_cast<size_t>(w.problem)] + int64_t{w.m} * p.tiles.n + w.n;
    lists.parts.push_back({tile, w.k_begin, w.k_end, unit.cta, std::ssize(own) - 1});
  });
  number_parts(lists);
  return lists;
}

}  // namespace tilewright
