// `analyze SUBJECT --sweep NAME=VALUES`, and bench's: numbers as functions of one parameter.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/check_expression.hpp"
#include "console.hpp"
#include "options.hpp"
#include "report.hpp"

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

/// Throws a usage error for --metric, a picture's options or --format csv without --sweep.
void require_sweep(const SweepOptions& options, std::string_view subject,
                   Format format = Format::Text);

/// The mark "{name}", a parameter's place in the texts of a subject's options, which fill_mark()
/// replaces by each value. The user writes it; for a parameter with a name the words of the sweep
/// have it, and a number of the subject's request is set.
std::string sweep_mark(const std::string& name);

/// True where one of the texts has the mark.
bool has_mark(const std::string& name, std::initializer_list<const std::string*> texts);

void fill_mark(const std::string& name, int64_t value, std::initializer_list<std::string*> texts);

/// The size at `index` of a text, for example of 128x256x64.
struct SizeParameter {
  std::string_view name;
  std::string* text;
  size_t index;
};

/// Marks the size of this name; returns false where no parameter has the name. Throws a usage error
/// where its text has no such size.
bool mark_size(const std::string& name, std::initializer_list<SizeParameter> parameters);

/// A raster with a mark in the place of its first factor. swizzle-merge stands for an empty one.
std::string marked_raster(const std::string& raster, const std::string& name);

/// The error for a parameter that the subject lacks; `known` are the names that it has.
Error unknown_parameter(const std::string& name, std::initializer_list<std::string_view> known);

Report sweep_grid(const GridOptions& options, Console& console);
Report sweep_schedule(const ScheduleOptions& options, Console& console);
Report sweep_layout(const LayoutOptions& options, Console& console);
Report sweep_swizzle(const SwizzleOptions& options, Console& console);
Report sweep_nested(const NestedOptions& options, Console& console);

}  // namespace tilewright
