// `analyze schedule` as JSON.
#pragma once

#include <string>
#include <vector>

#include "tile/plan/schedule_report.hpp"

namespace tilewright {

/// The report as one JSON object, indented, with a final newline. With `assignments` not null, the
/// key "assignments" lists per CTA {problem, m, n, k_begin, k_end}, k in k-steps; with `table` not
/// null, "table" has the rows {problem, unit} of every worker.
std::string schedule_json(const Plan& plan, const ScheduleReport& report,
                          const std::vector<std::vector<WorkTile>>* assignments,
                          const ScheduleTable* table = nullptr);

}  // namespace tilewright
