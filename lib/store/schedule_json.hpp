// The results of `analyze schedule`, `analyze grid` and `analyze --sweep` as JSON.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/sweep.hpp"
#include "model/group_modes.hpp"
#include "search/raster_ranking.hpp"
#include "tile/plan/grid_report.hpp"
#include "tile/plan/link_span.hpp"
#include "tile/plan/problem_search.hpp"
#include "tile/plan/schedule_report.hpp"
#include "tile/plan/sum_order.hpp"

namespace tilewright {

/// Optional lists of a report; a null list is left out.
struct ScheduleLists {
  const std::vector<std::vector<WorkTile>>* assignments = nullptr;
  const ScheduleTable* table = nullptr;
  const std::vector<std::vector<ProblemSearchStep>>* search = nullptr;
  const GroupModes* group_modes = nullptr;
  const GroupOccupancy* occupancy = nullptr;  // by microseconds, or k-steps without a time
  const std::vector<LinkSpan>* links = nullptr;
  const SumParting* parting = nullptr;   // from `compared`; null: all sums have the same order
  const TileConfig* compared = nullptr;  // a config with which the order of sums is compared
};

/// `analyze schedule` as one JSON object, indented, with a final newline. "assignments" lists
/// {problem, m, n, k_begin, k_end} for each CTA, k in k-steps; "table" has the rows {problem, unit,
/// starting_tile} of every cluster; "search" has the search steps {unit, prefix_sums, lane,
/// problem, starting_tile}; "group_modes" has the predicted time of each group schedule; "problems"
/// has what each problem takes, and "cta_problems", beside assignments, the problems of each CTA,
/// most time first; "sums" has the order in which terms are added, null where it depends on more
/// than k, and "invariant" compares it; "spans" of "parallel" lists {from, to, begin_us, end_us,
/// bytes}.
std::string schedule_json(const Plan& plan, const ScheduleReport& report,
                          const ScheduleLists& lists = {});

/// `analyze grid` as one JSON object, indented, with a final newline. If `order` is not null, the
/// key "order" lists [m, n] by slot, null for overhang.
std::string grid_json(const GridReport& report, const std::vector<TileCoord>* order);

/// `analyze grid --rank` as one JSON object, indented, with a final newline; "ranking" lists the
/// best `top` rasters.
std::string raster_ranking_json(const RasterRanking& ranking, int64_t top);

/// `analyze --sweep` as one JSON object, indented, with a final newline; "points" lists each value
/// of the parameter with its numbers, or with "why_not".
std::string sweep_json(const Sweep& sweep);

/// What sweep_json() wrote; `source` is its name in messages. Throws a usage error for anything
/// else, and for a sweep without a number.
Sweep read_sweep(std::string_view text, const std::string& source);

}  // namespace tilewright
