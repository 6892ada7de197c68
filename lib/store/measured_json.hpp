// Results of the verbs bench, profile and tune --dry-run, for machines.
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

/// `problem`, `device`, `predicted`, `baseline`, `rounds` and `rows`.
std::string bench_json(const BenchResult& result, const DeviceSpec& device, bool predicted);

/// `device`, `predicted`, `geometric_mean`, `lowest` and `problems`: each as bench_json() with
/// `ceiling_pct` (of the roofline at the device's sustained rates) and `bound`.
std::string suite_bench_json(const SuiteBench& suite, const DeviceSpec& device);

/// A number of the model beside the hardware's.
struct ProfileRow {
  std::string key;   // JSON key, with its unit
  std::string name;  // for people
  std::optional<double> predicted;
  std::optional<double> counted;
  bool operator==(const ProfileRow&) const = default;
};

/// One config's profile; without counted values nothing ran.
struct ProfileResult {
  Workload workload;
  std::string requested;
  TileConfig effective;
  std::vector<ProfileRow> rows;
  bool predicted = false;
  Regime regime = Regime::Rotate;  // of what ran
  bool operator==(const ProfileResult&) const = default;
};

/// `problem`, `device`, `predicted`, `regime` of what ran, `requested`, `effective` and per key
/// `predicted`, `counted`.
std::string profile_json(const ProfileResult& result, const DeviceSpec& device);

/// The enumeration of one problem.
struct DryRun {
  Workload problem;
  int64_t enumerated = 0;
  int64_t legal = 0;
  std::map<std::string, int64_t> rejected;
  bool operator==(const DryRun&) const = default;
};

/// A list of `problem`, `enumerated`, `legal`, `rejected` by rule.
std::string dry_run_json(const std::vector<DryRun>& runs, const DeviceSpec& device);

/// The artefact for machines: the same keys and values as best.yaml. Indented JSON with a final
/// newline.
std::string tune_json(const Artefact& artefact);

/// A trace and what ran.
struct RecordedTrace {
  Workload workload;
  TileConfig config;
  KernelTrace trace;
  bool operator==(const RecordedTrace&) const = default;
};

/// A kernel's own trace, for machines. `problem`, `config`, `slots` and `records`: list of {`cta`,
/// `sm`, `slot`, `m`, `n`, `inside`, `start_ns`, `end_ns`}, of a group with `problem`; `second`
/// {`start_ns`, `end_ns`}, where a second kernel summed parts; times from the first start. `events`
/// stand beside them as `traceEvents`, which makes the file one of the trace event format.
std::string trace_json(const RecordedTrace& recorded, const Document& events);

/// Reads what trace_json() writes; `source` is the file's name in messages. Throws a usage error
/// for anything else, and for a trace without records.
RecordedTrace read_trace(std::string_view text, const std::string& source);

}  // namespace tilewright
