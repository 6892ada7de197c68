// Named configs side by side: built, verified, and timed in the same rounds; no search.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "search/beside.hpp"
#include "search/result.hpp"
#include "search/runner.hpp"

namespace tilewright {

struct BenchPolicy {
  bool against_reference = false;
  std::string left_out = {};  // prefix of references that do not run; empty: all run
  int64_t rounds = 0;         // 0: by the kernels' length
  uint64_t seed = 1;
  bool counters = false;              // reads them for every timed config
  std::optional<Beside> beside = {};  // what the runner was opened with
};

/// One config's row. Without `timing` nothing was timed, and `why_not` has the reason unless
/// nothing ran at all.
struct BenchRow {
  std::string requested;
  TileConfig effective;                       // our config
  std::optional<ForeignConfig> foreign = {};  // else a foreign one, without a prediction
  Estimate predicted = {};
  double imbalance = 0;  // of groups and updates: k-steps of the plan, max over mean
  std::optional<Decomposition> equals = {};  // the simpler one that cuts the same parts
  std::optional<Timing> timing;
  std::optional<PairedRatio> ratio;  // the baseline's time over its own, same rounds
  std::optional<Verification> verified;
  std::optional<Counters> counters;
  std::optional<double> beside_gb_per_s = {};  // of the neighbour while this row's launches run
  std::string why_no_counters;                 // where counters were requested
  std::string why_not;                         // the compiler's or the verification's reason
  bool wrong = false;                          // it ran and computed wrong results
  bool operator==(const BenchRow&) const = default;
};

/// The measured time, else the model's; nothing where neither exists.
std::optional<double> time_of(const BenchRow& row);

/// The place of the row in the order of ranks_before(), from 1; equal predictions share it.
int64_t place_among(const BenchRow& row, const std::vector<BenchRow>& rows);

/// What ran beside the launches, and its rate: GB/s of reads and writes together.
struct NeighbourResult {
  Beside beside;
  double alone_gb_per_s = 0;
  std::optional<double> baseline_gb_per_s = {};  // beside the baseline, if that is a reference
  std::string why_not = {};                      // why there are no rates
  bool operator==(const NeighbourResult&) const = default;
};

/// Ratios are against `baseline`: the reference library's best algorithm, else the first config.
struct BenchResult {
  Workload workload;
  std::vector<BenchRow> rows;
  std::string baseline;
  double baseline_us = 0;
  std::vector<ReferenceTime> references = {};  // every one that ran
  int64_t rounds = 0;
  Regime regime = Regime::Rotate;
  std::optional<NeighbourResult> neighbour = {};
  bool operator==(const BenchResult&) const = default;
};

/// Many problems with one config each.
struct SuiteBench {
  bool predicted = false;
  std::vector<BenchResult> results = {};  // one row each
  std::string references = {};            // the requested ones, in words
};

/// The ratios of a suite that ran against the reference.
struct RatioSummary {
  int64_t count = 0;
  double geometric_mean = 1;
  double lowest = 1;
  Workload lowest_workload = {};
};

/// Nothing if no row has a ratio.
std::optional<RatioSummary> summarize(const SuiteBench& suite);

/// What was requested, and the config that it became.
struct BenchConfig {
  std::string requested;
  TileConfig effective = {};                  // our config
  std::optional<ForeignConfig> foreign = {};  // else a foreign one
  std::string why_not = {};                   // the foreign one cannot be asked for; empty: it can
};

/// The name of a row's config in records.
std::string name_of(const BenchRow& row);

/// Runs the configs. Wrong and refused ones get a row but are not timed.
BenchResult bench(const Workload& workload, Runner& runner, const std::vector<BenchConfig>& configs,
                  const BenchPolicy& policy, ProgressListener& progress);

/// The model's rows; nothing runs.
BenchResult predict_bench(const Workload& workload, const DeviceSpec& device,
                          const std::vector<BenchConfig>& configs);

}  // namespace tilewright
