// The history of the gate's runs: JSON lines of schema `tilewright.history/1`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gate/gate.hpp"
#include "stats/change_points.hpp"

namespace tilewright {

/// `schema` of every line.
inline constexpr std::string_view kHistorySchema = "tilewright.history/1";

struct HistoryCase {
  std::string name;
  std::string verdict;
  std::vector<std::pair<std::string, double>> numbers;  // by key
  bool operator==(const HistoryCase&) const = default;
};

/// One run of the gate. `commit` and `branch` are empty outside of a repository.
struct HistoryRun {
  int64_t time = 0;  // seconds since 1970, UTC
  std::string commit;
  std::string branch;
  std::string suite;
  std::string mode;
  std::string device;
  std::vector<HistoryCase> cases;
  bool operator==(const HistoryRun&) const = default;
};

/// The number with this key; nothing if the case lacks it.
std::optional<double> number_of(const HistoryCase& of, std::string_view key);

/// "2026-11-25", UTC.
std::string day_of(int64_t time);

/// "commit 0123456789ab", or "an unnamed commit".
std::string commit_text(const HistoryRun& run);

/// The results of a run, without time and commit. Cases without numbers are left out.
HistoryRun history_run(const std::string& suite, const DeviceFingerprint& device,
                       const GateRun& run);

/// One line with its end; parse_history() reads it back.
std::string print_history(const HistoryRun& run);

/// The runs, sorted by time. Throws a usage error that names the line.
std::vector<HistoryRun> parse_history(std::string_view text, const std::string& source);

/// A lasting change of one number of one case, found among the runs of one suite, mode, device and
/// branch that have this number.
struct TrendChange {
  std::string case_name;
  std::string number;
  HistoryRun first;        // the first run at the new level, without its cases
  HistoryRun detected_at;  // the run after which the change could be found, without its cases
  ChangePoint change;      // its `at` and `detected_at` are indices of those runs
  bool is_worse = false;
};

/// Changes of the measured ratios, or of predicted times and DRAM reads, the oldest first.
std::vector<TrendChange> find_trends(std::span<const HistoryRun> runs);

/// One JSON array as Apache Otava 0.8 reads it: every run has every attribute and every metric,
/// `CASE.NUMBER`, which is null if the run lacks it.
std::string otava_json(std::span<const HistoryRun> runs);

/// Bencher Metric Format of the last run: {case: {number: {value, lower_value, upper_value}}}.
std::string bencher_json(std::span<const HistoryRun> runs);

}  // namespace tilewright
