#include "page/history_section.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "base/text.hpp"
#include "page/series_chart.hpp"

namespace tilewright {
namespace {

// Suite, mode, device and branch: changes are detected only among runs with the same four.
using Stream = std::tuple<std::string, std::string, std::string, std::string>;

Stream stream_of(const HistoryRun& run) {
  return {run.suite, run.mode, run.device, run.branch};
}

struct RunOfCase {
  const HistoryRun* run = nullptr;
  const HistoryCase* found = nullptr;
};

// One case of one stream, its runs in time order.
struct CaseSeries {
  std::string number;  // name of the number that is compared
  std::vector<RunOfCase> runs;
  std::vector<TrendChange> changes;
};

using AllSeries = std::map<std::pair<Stream, std::string>, CaseSeries>;

AllSeries series_of(std::span<const HistoryRun> runs) {
  AllSeries all;
  for (const HistoryRun& run : runs) {
    for (const HistoryCase& one : run.cases) {
      CaseSeries& series = all[{stream_of(run), one.name}];
      const bool has_ratio = number_of(one, "ratio").has_value();
      if (series.number.empty() || has_ratio) series.number = has_ratio ? "ratio" : "predicted_us";
      series.runs.push_back({&run, &one});
    }
  }
  for (auto& [key, series] : all) {
    const auto lacks = [&number = series.number](const RunOfCase& of) {
      return !number_of(*of.found, number);
    };
    series.runs.erase(std::remove_if(series.runs.begin(), series.runs.end(), lacks),
                      series.runs.end());
  }
  for (const TrendChange& trend : find_trends(runs)) {
    const auto found = all.find({stream_of(trend.first), trend.case_name});
    if (found != all.end() && found->second.number == trend.number) {
      found->second.changes.push_back(trend);
    }
  }
  return all;
}

std::optional<Interval> interval_of(const HistoryCase& found) {
  const std::optional<double> low = number_of(found, "ratio_low");
  const std::optional<double> high = number_of(found, "ratio_high");
  if (!low || !high) return std::nullopt;
  return Interval{*low, *high};
}

std::string change_text(const TrendChange& trend) {
  return format("{:+.2f} % from {}", 100 * (trend.change.after / trend.change.before - 1),
                commit_text(trend.first));
}

SeriesChart chart_of(const std::string& name, const CaseSeries& series) {
  const bool is_ratio = series.number == "ratio";
  SeriesChart chart{.title = name,
                    .y_name = is_ratio ? "ratio, above 1 is better" : "predicted, us",
                    .first_day = day_of(series.runs.front().run->time),
                    .last_day = day_of(series.runs.back().run->time)};
  for (const RunOfCase& of : series.runs) {
    const double value = *number_of(*of.found, series.number);
    const std::optional<Interval> interval = is_ratio ? interval_of(*of.found) : std::nullopt;
    chart.points.push_back(
        {value, interval,
         format("{}, {}: {:.6g}{}, {}", day_of(of.run->time), commit_text(*of.run), value,
                interval ? format(" ({:.4g} to {:.4g})", interval->low, interval->high) : "",
                of.found->verdict)});
  }
  for (const TrendChange& trend : series.changes) {
    chart.changes.push_back({trend.change.at, trend.is_worse, change_text(trend)});
  }
  return chart;
}

PageRow row_of(const Stream& stream, const std::string& name, const CaseSeries& series) {
  const RunOfCase& last = series.runs.back();
  const double value = *number_of(*last.found, series.number);
  const double count = static_cast<double>(series.runs.size());
  const std::optional<Interval> interval =
      series.number == "ratio" ? interval_of(*last.found) : std::nullopt;
  std::vector<std::string> changes;
  for (const TrendChange& trend : series.changes) {
    changes.push_back((trend.is_worse ? "worse: " : "better: ") + change_text(trend));
  }
  const auto& [suite, mode, device, branch] = stream;
  PageRow row;
  row.tag = format("{}, {}, {}, {}", suite, mode, device, branch);
  row.cells = {{name},
               {format("{:.0f}", count), count},
               {series.number},
               {format("{:.4g}", value), value},
               {"", interval ? std::optional(value) : std::nullopt,
                interval ? std::optional(PageMark{{value, *interval}}) : std::nullopt},
               {last.found->verdict},
               {changes.empty() ? "none" : join(changes, "; ")}};
  row.detail = picture_html(draw_series_chart(chart_of(name, series)));
  return row;
}

}  // namespace

PageSection history_section(std::span<const HistoryRun> runs, const std::string& source) {
  PageSection section;
  section.title = source;
  section.columns = {{.title = "Case"},
                     {.title = "runs", .is_number = true, .is_minor = true},
                     {.title = "number", .is_minor = true},
                     {.title = "last", .is_number = true},
                     {.title = "interval"},
                     {.title = "verdict", .is_minor = true},
                     {.title = "changes"}};
  section.tag_name = "Suite";
  size_t worse = 0;
  size_t better = 0;
  for (const auto& [key, series] : series_of(runs)) {
    if (series.runs.empty()) continue;
    for (const TrendChange& trend : series.changes) ++(trend.is_worse ? worse : better);
    section.rows.push_back(row_of(key.first, key.second, series));
  }
  section.verdict = format("{} runs of {} cases; changes for the worse: {}, for the better: {}.",
                           runs.size(), section.rows.size(), worse, better);
  section.notes.push_back(
      "A change is a step to a level that differs from the previous one by more than chance; the "
      "line of a row begins where the new level begins.");
  return section;
}

}  // namespace tilewright
