#include "store/gate_history.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "base/error.hpp"
#include "base/text.hpp"
#include "gate/case_rules.hpp"
#include "record/document.hpp"
#include "record/node.hpp"

namespace tilewright {
namespace {

// Below this relative spread only the clock's resolution is visible.
constexpr double kResolution = 1e-6;

constexpr std::string_view kWatched[] = {"ratio", "predicted_us", "dram_read_bytes"};

// Charts and trends divide by times and ratios.
NumberRange range_of(std::string_view key) {
  const bool divides = key.starts_with("ratio") || key.ends_with("_us");
  return divides ? NumberRange::Positive : NumberRange::NotNegative;
}

HistoryCase read_case(const Node& node) {
  HistoryCase read{node.at("name").text(), node.at("verdict").text(), {}};
  for (const auto& [key, value] : node.at("numbers").pairs()) {
    read.numbers.emplace_back(key, value.number(range_of(key)));
  }
  return read;
}

// Seconds since 1970 whose year has four digits.
int64_t read_time(const Node& node) {
  constexpr int64_t kMost = 253'402'300'799;
  const int64_t time = node.integer();
  if (time < 0 || time > kMost) {
    throw node.fail(format("should be seconds from 0 to {}, and is {}", kMost, time));
  }
  return time;
}

HistoryRun read_run(const Node& line) {
  const Node schema = line.at("schema");
  if (schema.text() != kHistorySchema) {
    throw schema.fail(format("is '{}', not {}", schema.text(), kHistorySchema));
  }
  HistoryRun run;
  run.time = read_time(line.at("time"));
  const std::pair<const char*, std::string*> texts[] = {{"commit", &run.commit},
                                                        {"branch", &run.branch},
                                                        {"suite", &run.suite},
                                                        {"mode", &run.mode},
                                                        {"device", &run.device}};
  for (const auto& [key, text] : texts) *text = line.at(key).text();
  for (const Node& node : line.at("cases").items()) run.cases.push_back(read_case(node));
  return run;
}

// The values of one number of one case, and the runs that have them.
struct Series {
  std::vector<double> values;
  std::vector<const HistoryRun*> runs;
};

HistoryRun without_cases(HistoryRun run) {
  run.cases.clear();
  return run;
}

void add_changes(const std::string& case_name, const std::string& number, const Series& series,
                 std::vector<TrendChange>& trends) {
  // Relative, because the numbers have different units.
  const double resolution = kResolution * std::max(1e-300, std::abs(series.values.front()));
  for (const ChangePoint& change : change_points(series.values, resolution)) {
    const bool rose = change.after > change.before;
    trends.push_back({case_name, number, without_cases(*series.runs[change.at]),
                      without_cases(*series.runs[change.detected_at]), change,
                      number == "ratio" ? !rose : rose});
  }
}

}  // namespace

std::optional<double> number_of(const HistoryCase& of, std::string_view key) {
  for (const auto& [name, value] : of.numbers) {
    if (name == key) return value;
  }
  return std::nullopt;
}

std::string day_of(int64_t time) {
  return to_string(std::chrono::floor<std::chrono::days>(
      std::chrono::system_clock::from_time_t(static_cast<std::time_t>(time))));
}

std::string commit_text(const HistoryRun& run) {
  constexpr size_t kShort = 12;
  return run.commit.empty() ? "an unnamed commit" : "commit " + run.commit.substr(0, kShort);
}

HistoryRun history_run(const std::string& suite, const DeviceFingerprint& device,
                       const GateRun& run) {
  HistoryRun made;
  made.suite = suite;
  made.mode = to_string(run.mode);
  made.device = device.name;
  for (const CaseVerdict& verdict : run.verdicts) {
    if (verdict.numbers.empty()) continue;
    HistoryCase& one = made.cases.emplace_back();
    one.name = verdict.name;
    one.verdict = to_string(verdict.verdict);
    for (const GateNumber& number : verdict.numbers) {
      one.numbers.emplace_back(number.key, number.now);
    }
  }
  return made;
}

std::string print_history(const HistoryRun& run) {
  Document cases = Document::array();
  for (const HistoryCase& one : run.cases) {
    Document numbers = Document::object();
    for (const auto& [key, value] : one.numbers) numbers[key] = value;
    cases.push_back({{"name", one.name}, {"verdict", one.verdict}, {"numbers", numbers}});
  }
  const Document line = {{"schema", kHistorySchema}, {"time", run.time},   {"commit", run.commit},
                         {"branch", run.branch},     {"suite", run.suite}, {"mode", run.mode},
                         {"device", run.device},     {"cases", cases}};
  return line.dump(-1, ' ', false, Document::error_handler_t::replace) + "\n";
}

std::vector<HistoryRun> parse_history(std::string_view text, const std::string& source) {
  std::vector<HistoryRun> runs;
  int number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    if (trim(line).empty()) continue;
    runs.push_back(read_run(Node::parse_json(line, source, number)));
  }
  std::stable_sort(runs.begin(), runs.end(),
                   [](const HistoryRun& a, const HistoryRun& b) { return a.time < b.time; });
  return runs;
}

std::vector<TrendChange> find_trends(std::span<const HistoryRun> runs) {
  using Key =
      std::tuple<std::string, std::string, std::string, std::string, std::string, std::string_view>;
  std::map<Key, Series> all;
  for (const HistoryRun& run : runs) {
    for (const HistoryCase& one : run.cases) {
      for (const std::string_view key : kWatched) {
        const std::optional<double> value = number_of(one, key);
        if (!value) continue;
        Series& series = all[{run.suite, run.mode, run.device, run.branch, one.name, key}];
        series.values.push_back(*value);
        series.runs.push_back(&run);
      }
    }
  }
  std::vector<TrendChange> trends;
  for (const auto& [key, series] : all) {
    add_changes(std::get<4>(key), std::string(std::get<5>(key)), series, trends);
  }
  std::stable_sort(trends.begin(), trends.end(), [](const TrendChange& a, const TrendChange& b) {
    return a.first.time < b.first.time;
  });
  return trends;
}

std::string otava_json(std::span<const HistoryRun> runs) {
  std::set<std::pair<std::string, std::string>> metrics;
  for (const HistoryRun& run : runs) {
    for (const HistoryCase& one : run.cases) {
      for (const auto& [key, value] : one.numbers) metrics.emplace(one.name, key);
    }
  }
  Document list = Document::array();
  for (const HistoryRun& run : runs) {
    std::map<std::pair<std::string, std::string>, double> values;
    for (const HistoryCase& one : run.cases) {
      for (const auto& [key, value] : one.numbers) values[{one.name, key}] = value;
    }
    Document of_run = Document::array();
    for (const auto& metric : metrics) {
      const auto found = values.find(metric);
      of_run.push_back({{"name", format("{}.{}", metric.first, metric.second)},
                        {"unit", ""},
                        {"value", found == values.end() ? Document() : Document(found->second)}});
    }
    list.push_back({{"timestamp", run.time},
                    {"metrics", of_run},
                    {"attributes",
                     {{"commit", run.commit},
                      {"branch", run.branch},
                      {"suite", run.suite},
                      {"mode", run.mode},
                      {"device", run.device}}}});
  }
  return to_json(list);
}

std::string bencher_json(std::span<const HistoryRun> runs) {
  Document document = Document::object();
  if (runs.empty()) return to_json(document);
  for (const HistoryCase& one : runs.back().cases) {
    Document& measures = document[one.name] = Document::object();
    for (const auto& [key, value] : one.numbers) {
      if (key == "ratio_low" || key == "ratio_high") continue;
      measures[key] = {{"value", value}};
    }
    const std::optional<double> low = number_of(one, "ratio_low");
    const std::optional<double> high = number_of(one, "ratio_high");
    if (!low || !high || !measures.contains("ratio")) continue;
    measures["ratio"]["lower_value"] = *low;
    measures["ratio"]["upper_value"] = *high;
  }
  return to_json(document);
}

}  // namespace tilewright
