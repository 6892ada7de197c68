#include "verbs/sweep.hpp"

#include <algorithm>
#include <cmath>

#include "base/escape.hpp"
#include "base/interruption.hpp"
#include "base/limits.hpp"
#include "base/sweep.hpp"
#include "base/text.hpp"
#include "draw/sweep_diagram.hpp"
#include "render/picture_output.hpp"
#include "render/progress_bar.hpp"
#include "render/table.hpp"
#include "request/job.hpp"
#include "store/schedule_json.hpp"

namespace tilewright {
namespace {

struct Taken {
  Sweep sweep;
  Sweep drawn;
  std::vector<std::string> violated;
  bool internal = false;  // a value met an internal error
};

// The names of the numbers that at least one value had; messages list them.
using Names = std::vector<std::string>;

void add_numbers(const std::vector<NamedNumber>& found, size_t place, Sweep& sweep, Names& names) {
  for (const NamedNumber& number : found) {
    if (std::find(names.begin(), names.end(), number.name) == names.end()) {
      names.emplace_back(number.name);
    }
    for (SweptNumber& swept : sweep.numbers) {
      if (swept.name != number.name) continue;
      if (!number.why_none.empty()) sweep.why_not[place] = number.why_none;
      if (number.why_none.empty() && std::isfinite(number.value)) {
        swept.values[place] = number.value;
      }
    }
  }
  for (const SweptNumber& swept : sweep.numbers) {
    if (swept.values[place] || !sweep.why_not[place].empty()) continue;
    sweep.why_not[place] = format("no {} exists", swept.name);
  }
}

void require_known(const Sweep& sweep, const Names& names) {
  for (const SweptNumber& swept : sweep.numbers) {
    if (argmin(swept)) continue;
    if (std::find(names.begin(), names.end(), swept.name) != names.end()) {
      throw usage_error(format("--metric {}: {}", swept.name, sweep.why_not.front()));
    }
    const std::vector<std::string_view> views(names.begin(), names.end());
    throw usage_error(format("--metric: there is no number '{}'{}; this subject has {}", swept.name,
                             did_you_mean(swept.name, views), join(names, ", ")));
  }
}

// True for errors that leave the other values their numbers.
bool costs_one_value(const std::exception& error) {
  if (is_internal(error)) return true;
  const ExitCode code = as_error(error).code();
  return code == ExitCode::Usage || code == ExitCode::No;
}

// The units of a value; 0 if they cannot be counted, since numbers_at() then reports the error.
int64_t units_at(const SweepSubject& subject, int64_t value) {
  try {
    return subject.units_at(value);
  } catch (const std::exception& error) {
    if (!costs_one_value(error)) throw;
    return 0;
  }
}

void require_short(const SweepRange& range, const SweepSubject& subject) {
  if (!subject.units_at) return;
  int64_t units = 0;
  for (const int64_t value : range.values) {
    throw_if_interrupted();
    units += units_at(subject, value);
    if (units <= kMaxSwept) continue;
    throw usage_error(
        format("--sweep over {} values of {} prices more than {} units: sweep fewer values, or use "
               "fewer tiles",
               range.values.size(), range.parameter, kMaxSwept));
  }
}

// The sweep with only these numbers, in the order of `names`.
Sweep with_numbers(const Sweep& sweep, const Names& names) {
  Sweep some = sweep;
  some.numbers.clear();
  for (const std::string& name : names) {
    const auto same = [&name](const SweptNumber& number) { return number.name == name; };
    some.numbers.push_back(*std::find_if(sweep.numbers.begin(), sweep.numbers.end(), same));
  }
  return some;
}

// The sweep with the charts and series of its picture.
Sweep drawn_numbers(const Sweep& sweep, const Names& names, const SweepSubject& subject) {
  Sweep drawn = with_numbers(sweep, names);
  drawn.unit = subject.unit;
  for (SweptNumber& number : drawn.numbers) {
    if (!subject.place_of) break;
    ChartPlace place = subject.place_of(number.name);
    number.chart = std::move(place.chart);
    number.series = std::move(place.series);
    number.index = place.index;
  }
  return drawn;
}

Taken take(const SweepRange& range, const SweepSubject& subject, const Names& metrics,
           const Names& drawn, const std::vector<CheckExpression>& checks,
           ProgressListener& progress) {
  require_short(range, subject);
  Taken taken;
  Sweep& sweep = taken.sweep;
  sweep.subject = subject.words;
  sweep.parameter = range.parameter;
  sweep.at = range.values;
  sweep.why_not.resize(range.values.size());
  Names all = metrics;
  for (const std::string& name : drawn) {
    if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
  }
  for (const std::string& name : all) {
    sweep.numbers.push_back(
        {name, std::vector<std::optional<double>>(range.values.size(), std::nullopt)});
  }
  Names names;
  // Subjects with a count of units take long.
  if (subject.units_at) progress.begin("values", std::ssize(range.values));
  for (size_t i = 0; i < range.values.size(); ++i) {
    throw_if_interrupted();
    if (subject.units_at) progress.advance(static_cast<int64_t>(i), 0);
    std::vector<NamedNumber> found;
    try {
      found = subject.numbers_at(range.values[i]);
    } catch (const std::exception& error) {
      if (!costs_one_value(error)) throw;
      taken.internal = taken.internal || is_internal(error);
      sweep.why_not[i] = format("{}{}", is_internal(error) ? "internal error: " : "", error.what());
      continue;
    }
    add_numbers(found, i, sweep, names);
    if (subject.fault_at) {
      add_fault(format("{} {}: {}", range.parameter, range.values[i], subject.words),
                subject.fault_at(range.values[i]), taken.violated);
    }
    for (const std::string& sentence : violated_checks(checks, found)) {
      taken.violated.push_back(format("{} {}: {}", range.parameter, range.values[i], sentence));
    }
  }
  if (names.empty()) {
    throw Error(taken.internal ? ExitCode::Internal : ExitCode::Usage, sweep.why_not.front());
  }
  require_known(sweep, names);
  taken.drawn = drawn_numbers(sweep, drawn, subject);
  sweep = with_numbers(sweep, metrics);
  return taken;
}

// A bar for the first number, as long as the value is large.
std::string bar(const SweptNumber& number, size_t place) {
  constexpr double kMax = 24;
  const double most = *number.values[*argmax(number)];
  const double value = number.values[place].value_or(0);
  if (most <= 0 || value <= 0) return {};
  return std::string(static_cast<size_t>(std::max(1.0, kMax * value / most + 0.5)), '#');
}

std::string extremes_row(const Sweep& sweep, const SweptNumber& number, const ByteUnit& unit) {
  const auto value_text = [&](size_t place) {
    return quantity_text(number.name, *number.values[place], unit);
  };
  const size_t least = *argmin(number);
  const size_t most = *argmax(number);
  if (*number.values[least] == *number.values[most]) {
    return row(number.name, format("{} everywhere", value_text(least)));
  }
  return row(number.name, format("least {} at {}, most {} at {}", value_text(least),
                                 sweep.at[least], value_text(most), sweep.at[most]));
}

// The unit of the largest number of bytes; all numbers of bytes are shown in it.
ByteUnit unit_of(const Sweep& sweep) {
  double most = 0;
  for (const SweptNumber& number : sweep.numbers) {
    if (!number.name.ends_with("_bytes")) continue;
    if (const auto place = argmax(number)) most = std::max(most, *number.values[*place]);
  }
  return byte_unit(most);
}

std::vector<TextPart> sweep_text(const Sweep& sweep) {
  std::vector<Column> columns = {{sweep.parameter, true, 0}};
  for (const SweptNumber& number : sweep.numbers) columns.push_back({number.name, true, 0});
  columns.push_back({"", false, 1});
  Table table(columns);
  const ByteUnit unit = unit_of(sweep);
  constexpr size_t kMaxReasons = 3;
  std::vector<std::string> reasons;
  for (size_t i = 0; i < sweep.at.size(); ++i) {
    std::vector<std::string> cells = {format("{}", sweep.at[i])};
    for (const SweptNumber& number : sweep.numbers) {
      cells.push_back(number.values[i] ? quantity_text(number.name, *number.values[i], unit) : "-");
    }
    cells.push_back(bar(sweep.numbers.front(), i));
    table.add_row(std::move(cells));
    // Consecutive values often have the same reason.
    if (sweep.why_not[i].empty() || (i > 0 && sweep.why_not[i] == sweep.why_not[i - 1])) continue;
    reasons.push_back(
        format("{} {}: {}\n", sweep.parameter, sweep.at[i], one_line(sweep.why_not[i])));
  }
  std::string text;
  for (size_t i = 0; i < std::min(kMaxReasons, reasons.size()); ++i) text += reasons[i];
  if (reasons.size() > kMaxReasons) {
    text += format("and {} more reasons; --format json lists all\n", reasons.size() - kMaxReasons);
  }
  for (const SweptNumber& number : sweep.numbers) text += extremes_row(sweep, number, unit);
  return {Sentence{sweep.subject}, std::move(table), std::move(text)};
}

// Adds the comma-separated names of a text, without duplicates.
void add_names(std::string_view text, Names& names) {
  for (const std::string_view part : split(text, ',')) {
    const std::string name(trim(part));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
}

Names names_in(std::string_view text) {
  Names names;
  add_names(text, names);
  return names;
}

// Numbers as in JSON, in the units of their names; an empty field where a value has no number.
Table sweep_table(const Sweep& sweep) {
  std::vector<Column> columns = {{sweep.parameter, true, 0}};
  for (const SweptNumber& number : sweep.numbers) columns.push_back({number.name, true, 0});
  Table table(std::move(columns));
  for (size_t i = 0; i < sweep.at.size(); ++i) {
    std::vector<std::string> cells = {format("{}", sweep.at[i])};
    for (const SweptNumber& number : sweep.numbers) {
      cells.push_back(number.values[i] ? format("{}", *number.values[i]) : "");
    }
    table.add_row(std::move(cells));
  }
  return table;
}

// --metric accepts several names with commas, and repeats.
Names metrics_of(const Names& texts) {
  Names metrics;
  for (const std::string& text : texts) add_names(text, metrics);
  constexpr size_t kMaxMetrics = 8;
  if (metrics.size() > kMaxMetrics) {
    throw usage_error(format("--metric: {} numbers are more than the limit of {}: give fewer",
                             metrics.size(), kMaxMetrics));
  }
  return metrics;
}

}  // namespace

Report run_sweep(const SweepOptions& o, const std::vector<CheckExpression>& checks,
                 const std::function<SweepSubject(const std::string&)>& subject, Console& console) {
  const SweepRange& range = *o.range;
  Taken taken;
  ProgressBar bar(console, steady_seconds, kPatienceSeconds);
  bar.subject(format("--sweep {}", range.parameter));
  std::vector<std::string> notes;
  const auto take_all = [&] {
    const SweepSubject of = subject(range.parameter);
    notes = of.notes;
    const Names metrics = metrics_of(o.metrics.empty() ? Names{of.metric} : o.metrics);
    const bool others = o.metrics.empty() && !of.drawn.empty() && !o.picture.output.empty();
    taken = take(range, of, metrics, others ? names_in(of.drawn) : metrics, checks, bar);
  };
  Report report;
  if (o.picture.output.empty()) {
    take_all();
  } else {
    const auto make = [&]() -> Drawing {
      take_all();
      return [&](const AvailableSize& available) { return sweep_diagram(taken.drawn, available); };
    };
    report.notes = write_scene(o.picture, make);
  }
  bar.clear();
  report.notes.insert(report.notes.end(), notes.begin(), notes.end());
  report.violated = std::move(taken.violated);
  if (taken.internal) report.code = ExitCode::Internal;
  if (o.picture.output == "-") {
    report.json = [] { return std::string(); };
    report.table = [] { return Table({}); };
    return report;
  }
  report.text = sweep_text(taken.sweep);
  report.json = [sweep = taken.sweep] { return sweep_json(sweep); };
  report.table = [sweep = std::move(taken.sweep)] { return sweep_table(sweep); };
  return report;
}

}  // namespace tilewright
