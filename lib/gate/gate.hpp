// The data of the gate: the cases of a suite, their numbers, and the verdicts of a comparison.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "search/runner.hpp"
#include "stats/sample.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

enum class GateMode {
  Static,     // exact numbers without a GPU, against the baseline's
  Baseline,   // measured: the ratio to the reference library, against the baseline's
  Ab,         // measured: the suite's configs and the baseline's in the same rounds
  Reference,  // measured: the suite's configs and the reference library, without a baseline
};
std::string to_string(GateMode mode);

/// The numbers by which a suite may judge a case.
inline constexpr std::string_view kJudged[] = {"time", "dram", "waves", "spills", "proof", "ratio"};

/// The suite's rules for judging a case.
struct CaseRules {
  std::optional<double> threshold = {};  // a fraction; else the run's
  std::vector<std::string> judge = {};   // of kJudged; empty: all
  bool time_decides = true;              // a shorter time excuses more bytes and waves
  bool operator==(const CaseRules&) const = default;
};

/// One mapping that must not get worse. `why_illegal`: why its config is illegal;
/// `internal_failure`: the internal error of its completion; else empty.
struct GateCase {
  std::string name;
  Workload problem;
  TileConfig config;
  std::string why_illegal;
  std::string internal_failure = {};
  CaseRules rules = {};
  int line = 0;                               // of the suite's file, from 1; 0: none
  std::optional<ForeignConfig> foreign = {};  // in the place of the config
  std::optional<ForeignConfig> other = {};    // what an A/B compares a foreign config with
  bool other_is_default = false;  // it is the harness's default config, else another build
  std::string why_no_other = {};  // where there is none
  bool operator==(const GateCase&) const = default;
};

/// The compiler's numbers for a config.
struct CompilerNumbers {
  int registers = 0;  // per thread
  int spill_bytes = 0;
  int smem_bytes = 0;  // of the launch
  bool operator==(const CompilerNumbers&) const = default;
};

/// The model's numbers for a config; bytes over the whole run. No time where the device's rates
/// predict none.
struct PredictedNumbers {
  std::optional<double> us;
  double dram_read_bytes = 0;
  double dram_write_bytes = 0;
  bool operator==(const PredictedNumbers&) const = default;
};

/// Numbers that are the same on every run; smaller is better, except for a config's registers and
/// shared memory, which cost nothing while they fit.
struct StaticNumbers {
  int64_t slots = 0;     // tiles that the launch walks, counted in CTAs
  int64_t overhang = 0;  // slots that compute nothing
  int64_t waves = 0;
  std::optional<bool> complete;               // every k-step of every tile exactly once
  std::optional<PredictedNumbers> predicted;  // absent in old baselines, like `complete`
  std::optional<CompilerNumbers> compiled;
  std::string walk = {};    // walk_digest(); empty in baselines of schema 1
  std::string prices = {};  // price_digest(); likewise
  bool operator==(const StaticNumbers&) const = default;
};

/// `ratio` is the reference's time divided by ours, paired by rounds: above 1 ours is faster.
struct MeasuredNumbers {
  double median_us = 0;
  std::string reference;
  double reference_us = 0;
  PairedRatio ratio;
  int64_t rounds = 0;
  bool operator==(const MeasuredNumbers&) const = default;
};

/// The numbers of one case, of the kind that the mode needs.
struct CaseNumbers {
  std::string name;
  Workload problem;
  TileConfig config;
  std::optional<StaticNumbers> exact;
  std::optional<MeasuredNumbers> measured;
  bool operator==(const CaseNumbers&) const = default;
};

/// The results of an earlier run, to compare with; `mode` is Static or Baseline.
struct Baseline {
  std::string tool_version;
  GateMode mode = GateMode::Static;
  DeviceFingerprint device;
  std::string compiler;    // of the registers and spills; empty: none compiled
  MeasuringMethod method;  // of the measured ratios; its regime is the last case's
  std::vector<CaseNumbers> cases;
  bool operator==(const Baseline&) const = default;
};

enum class Verdict {
  Pass,
  Unchanged,     // by an update of the baseline
  Improved,      // passes; the baseline should be updated
  Changed,       // by an update
  Removed,       // by an update: the suite has the case no more
  Waived,        // worse, and excused by the suite for a while
  New,           // passes without a comparison: the baseline lacks the case
  Inconclusive,  // too noisy for a verdict
  Environment,   // this machine cannot decide
  ModelChanged,  // the walk is the recorded one, but the model prices it differently
  Regression,
  WrongResult,
  Internal,  // an internal error; nothing was compared
};
std::string to_string(Verdict verdict);

/// A number of a case with its key, and the number to compare with, if there is one. Keys end in
/// their unit, as in predicted_us and dram_read_bytes.
struct GateNumber {
  std::string key;
  double now = 0;
  std::optional<double> before;
  bool is_bool = false;
  std::optional<double> recorded = {};        // in the baseline
  std::optional<double> baseline_today = {};  // of the baseline's config with today's code
  bool operator==(const GateNumber&) const = default;
};

/// The gate's result for a case: the verdict, its numbers with the most important first, and the
/// reasons.
struct CaseVerdict {
  std::string name;
  Verdict verdict = Verdict::Pass;
  std::vector<GateNumber> numbers;
  std::vector<std::string> findings;
  std::string reference;                // what `ratio` compares with; empty in a static gate
  std::vector<std::string> worse = {};  // keys of the numbers that are a regression
  int line = 0;                         // of the suite's file, from 1; 0: none
  double seconds = 0;                   // time that the verdict took
  std::optional<double> p_value = {};   // p-value of a measured ratio below the allowed one
  bool operator==(const CaseVerdict&) const = default;
};

/// The results of a run of the gate; `numbers` holds the cases that have any.
struct GateRun {
  GateMode mode = GateMode::Static;
  std::vector<CaseNumbers> numbers;
  std::vector<CaseVerdict> verdicts;
  std::vector<std::string> notes;  // about the run, for example what was not compared
  MeasuringMethod method;
  std::string nothing_compared = {};  // why no case was compared; else empty
  bool operator==(const GateRun&) const = default;
};

/// True if a gate with this verdict does not end with ExitCode::Good.
bool is_failure(Verdict verdict);

/// Sorts by verdict, the worst first; equal ones keep their order.
std::vector<CaseVerdict> worst_first(std::span<const CaseVerdict> verdicts);

/// "1 regression, 1 new, 7 pass": the count of each verdict, the worst first.
std::string count_verdicts(std::span<const CaseVerdict> verdicts);

/// Exit code of the worst verdict: wrong results, then a regression, a changed model, the
/// environment, noise.
ExitCode gate_exit_code(std::span<const CaseVerdict> verdicts);
/// The same; NoBaseline if every case is good because none was compared.
ExitCode gate_exit_code(const GateRun& run);

/// Sets `nothing_compared` in a run against a baseline that compared nothing: the baseline has no
/// case, the run has only new ones, or an A/B has equal configs.
void set_nothing_compared(GateRun& run, bool baseline_is_empty);

/// Throws an environment error unless the baseline's numbers are valid for this mode and device. An
/// A/B takes a baseline of any mode, because it needs only configs.
void require_comparable(const Baseline& baseline, GateMode mode, const DeviceFingerprint& device);

/// The baseline's numbers of a case, or null.
const CaseNumbers* find_case(const Baseline* baseline, const std::string& name);

/// A regression for every case that the baseline has and the suite lost: an emptied gate must not
/// pass.
std::vector<CaseVerdict> judge_removed(const Baseline& baseline, std::span<const GateCase> cases);

/// A verdict reached before any number (a regression, the environment or noise), with one finding.
CaseVerdict early_verdict(const std::string& name, Verdict verdict, const std::string& finding);

/// The finding of an A/B between equal configs.
inline constexpr std::string_view kSameConfig = "the baseline's config: nothing to compare";

/// Judges one case, and sets its line and the seconds that it took; an internal error becomes the
/// verdict on this case alone. Throws other errors.
CaseVerdict judge_guarded(const GateCase& gate_case, const std::function<CaseVerdict()>& judge);

/// Adds to a verdict that nothing was compared, if a baseline lacks the case.
void add_new_finding(CaseVerdict& verdict, const Baseline* baseline);

/// The config's keys that differ from the baseline's; empty if none does.
std::string describe_change(const TileConfig& now, const TileConfig& before);

/// The checks before any number: an internal error, or the regression of a refused config or of a
/// problem that differs from the baseline's; nothing otherwise.
std::optional<CaseVerdict> judge_case(const GateCase& gate_case, const CaseNumbers* before);

}  // namespace tilewright
