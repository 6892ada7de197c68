// `analyze SUBJECT --sweep NAME=VALUES`, and bench's: numbers as functions of one parameter.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/check_expression.hpp"
#include "host/console.hpp"
#include "render/report.hpp"
#include "request/options.hpp"

namespace tilewright {

/// Where a picture shows a number: in which series of which chart.
struct ChartPlace {
  std::string chart;  // its title; empty: the number has a chart of its own
  std::string series;
  size_t index = 0;
};

struct SweepSubject {
  std::string words;   // the subject, with the parameter in braces
  std::string metric;  // shown by default; several with commas
  /// The numbers for this value of the parameter; throws where the value is not allowed.
  std::function<std::vector<NamedNumber>(int64_t)> numbers_at;
  /// How many units this value prices, known before the first is; null: too few to count.
  std::function<int64_t(int64_t)> units_at = nullptr;
  /// The fault of a mapping from a file for this value, empty: none; null where no mapping is from
  /// a file.
  std::function<std::string(int64_t)> fault_at = nullptr;
  /// The numbers of a picture by default; empty: those of the table.
  std::string drawn = {};
  /// The chart for a number's name; null: every number has its own.
  std::function<ChartPlace(const std::string&)> place_of = nullptr;
  std::string unit = {};                // the parameter's; empty: unknown
  std::vector<std::string> notes = {};  // on `err`, before the answer
};

/// Evaluates the subject for each value, and writes a picture if requested; one on standard output
/// replaces the table. A value that fails is shown with the reason; if all fail, the first reason
/// is thrown. The code is Internal where a value met an internal error.
Report run_sweep(const SweepOptions& options, const std::vector<CheckExpression>& checks,
                 const std::function<SweepSubject(const std::string&)>& subject, Console& console);

Report sweep_grid(const GridOptions& options, Console& console);
Report sweep_schedule(const ScheduleOptions& options, Console& console);
Report sweep_layout(const LayoutOptions& options, Console& console);
Report sweep_swizzle(const SwizzleOptions& options, Console& console);
Report sweep_nested(const NestedOptions& options, Console& console);

}  // namespace tilewright
