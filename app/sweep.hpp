// `analyze SUBJECT --sweep NAME=VALUES`, or bench: numbers over one of a subject's parameters.
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

namespace tilewright {

/// Where a picture shows a number: as a series of a chart.
struct ChartPlace {
  std::string chart;  // what it shows; empty: the number has a chart of its own
  std::string series;
  size_t index = 0;
};

struct SweepSubject {
  std::string words;   // what it is, the parameter in braces
  std::string metric;  // shown unless others are asked for; several with commas
  /// The numbers where the parameter has this value; throws where it may not have it.
  std::function<std::vector<NamedNumber>(int64_t)> numbers_at;
  /// Units that are priced for this value, known before any is; null: too few to count.
  std::function<int64_t(int64_t)> units_at = nullptr;
  /// What a mapping from a file lacks for this value, empty: nothing; null where none is from a
  /// file.
  std::function<std::string(int64_t)> fault_at = nullptr;
  /// What a picture shows unless other numbers are asked for; empty: what is shown.
  std::string drawn = {};
  /// The chart of a number, by its name; null: every number has one of its own.
  std::function<ChartPlace(const std::string&)> place_of = nullptr;
  std::string unit = {};  // of the parameter; empty: none is known
};

/// Steps through the values: a table or JSON, and a picture where one is asked for. A value whose
/// numbers cannot be had is shown with the reason; where that is all of them, the first reason is
/// thrown. No where a check is violated somewhere, Internal where a value met an internal error.
ExitCode run_sweep(const SweepOptions& options, const std::vector<std::string>& checks,
                   Format format, const std::function<SweepSubject(const std::string&)>& subject,
                   Console& console);

/// Throws a usage error for --metric, a picture's options or --format csv without --sweep.
void require_sweep(const SweepOptions& options, std::string_view subject,
                   Format format = Format::Text);

/// How a subject's options take a parameter: its place is marked as "{name}" in their texts, by the
/// user or by the parameter's name, and then filled.
std::string sweep_mark(const std::string& name);

/// True where one of the texts has the mark.
bool has_mark(const std::string& name, std::initializer_list<const std::string*> texts);

void fill_mark(const std::string& name, int64_t value, std::initializer_list<std::string*> texts);

/// The size at `index` of a text such as 128x256x64.
struct SizeParameter {
  std::string_view name;
  std::string* text;
  size_t index;
};

/// Marks the size of this name; false where there is none. Throws a usage error where its text has
/// no such size.
bool mark_size(const std::string& name, std::initializer_list<SizeParameter> parameters);

/// A raster with a mark in the place of its first factor; none stands for swizzle-merge.
std::string marked_raster(const std::string& raster, const std::string& name);

/// The parameter that nothing has; `known` are those that have names.
Error unknown_parameter(const std::string& name, std::initializer_list<std::string_view> known);

ExitCode sweep_grid(const GridOptions& options, Console& console);
ExitCode sweep_schedule(const ScheduleOptions& options, Console& console);
ExitCode sweep_layout(const LayoutOptions& options, Console& console);
ExitCode sweep_swizzle(const SwizzleOptions& options, Console& console);
ExitCode sweep_nested(const NestedOptions& options, Console& console);
/// Configs side by side, each value in rounds of its own.
ExitCode sweep_bench(const BenchOptions& options, Console& console);

}  // namespace tilewright
