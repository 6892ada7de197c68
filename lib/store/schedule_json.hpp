// `analyze schedule` as JSON.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/sweep.hpp"
#include "search/raster_ranking.hpp"
#include "tile/plan/grid_report.hpp"
#include "tile/plan/schedule_report.hpp"

namespace tilewright {

/// The report as one JSON object, indented, with a final newline. With `assignments` not null, the
/// key "assignments" lists per CTA {problem, m, n, k_begin, k_end}, k in k-steps; with `table` not
/// null, "table" has the rows {problem, unit} of every worker.
std::string schedule_json(const Plan& plan, const ScheduleReport& report,
                          const std::vector<std::vector<WorkTile>>* assignments,
                          const ScheduleTable* table = nullptr);

// `analyze grid` as JSON.

/// The report as one JSON object, indented, with a final newline. With `order` not null, the key
/// "order" lists [m, n] by slot, null for overhang.
std::string grid_json(const GridReport& report, const std::vector<TileCoord>* order);

// `analyze grid --rank` as JSON.

/// The ranking as one JSON object, indented, with a final newline; "ranking" lists the best `top`
/// rasters.
std::string raster_ranking_json(const RasterRanking& ranking, int64_t top);

// `analyze --sweep` as JSON.

/// The sweep as one JSON object, indented, with a final newline; "points" lists the parameter's
/// value with the numbers there, or with "why_not".
std::string sweep_json(const Sweep& sweep);

}  // namespace tilewright
