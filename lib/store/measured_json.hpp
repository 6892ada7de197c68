// The results of bench, profile, tune --dry-run and traces as JSON.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/bench.hpp"
#include "search/enumerate.hpp"
#include "search/runner.hpp"
#include "store/best_table.hpp"

namespace tilewright {

/// `problem`, `device`, `predicted`, `baseline`, `rounds`, `rows`, and `beside` if something ran
/// beside the launches.
std::string bench_json(const BenchResult& result, const DeviceSpec& device, bool predicted);

/// `device`, `predicted`, `geometric_mean`, `lowest` and `problems`: each as bench_json() with
/// `ceiling_pct` (of the roofline at the device's sustained rates) and `bound`.
std::string suite_bench_json(const SuiteBench& suite, const DeviceSpec& device);

/// One number as the model predicts it and as the hardware counts it.
struct ProfileRow {
  std::string key;   // JSON key, with its unit
  std::string name;  // name in reports for people
  std::optional<double> predicted;
  std::optional<double> counted;
  bool operator==(const ProfileRow&) const = default;
};

/// One config's profile; without counted values it is a prediction.
struct ProfileResult {
  Workload workload;
  std::string requested;
  std::string effective;  // the config that ran
  std::vector<ProfileRow> rows;
  bool predicted = false;
  Regime regime = Regime::Rotate;  // of the launches that ran
  bool operator==(const ProfileResult&) const = default;
};

/// `problem`, `device`, `predicted`, `regime` of the launches that ran, `requested`, `effective`,
/// and for each key `predicted` and `counted`.
std::string profile_json(const ProfileResult& result, const DeviceSpec& device);

/// The number of configs that a search of one problem would enumerate, and how many are legal.
struct DryRun {
  Workload problem;
  int64_t enumerated = 0;
  int64_t legal = 0;
  std::map<std::string, int64_t> rejected;
  bool operator==(const DryRun&) const = default;
};

/// A list of `problem`, `enumerated`, `legal`, `rejected` by rule.
std::string dry_run_json(const std::vector<DryRun>& runs, const DeviceSpec& device);

/// The artefact as indented JSON with a final newline: the same keys and values as in best.yaml.
std::string tune_json(const Artefact& artefact);

/// A trace with the workload and the config that ran.
struct RecordedTrace {
  Workload workload;
  TileConfig config;
  KernelTrace trace;
  bool operator==(const RecordedTrace&) const = default;
};

/// A kernel's own trace as JSON: `problem`, `config`, `slots` and `records`: list of {`cta`, `sm`,
/// `slot`, `m`, `n`, `inside`, `start_ns`, `end_ns`}, for a group also `problem`; `second`
/// {`start_ns`, `end_ns`} if a second kernel summed the partial results. Times count from the first
/// start. `traceEvents` has `events`, so that viewers of the trace event format can open the file.
std::string trace_json(const RecordedTrace& recorded, const Document& events);

/// Reads the output of trace_json(); `source` is the file's name in messages. Throws a usage error
/// for anything else, and for a trace without records.
RecordedTrace read_trace(std::string_view text, const std::string& source);

}  // namespace tilewright
