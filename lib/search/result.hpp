// What a search finds for one problem, and what it tried to find it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/estimate.hpp"
#include "search/library_pin.hpp"
#include "search/origin.hpp"
#include "search/race.hpp"
#include "search/runner.hpp"
#include "stats/sample.hpp"
#include "tile/config/tile_config.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// The reference library's best algorithm in the same rounds. `ratio` is its time divided by ours:
/// above 1 ours is faster.
struct ReferenceResult {
  std::string name;
  double median_us = 0;
  PairedRatio ratio;
  std::optional<Counters> counters;
  std::optional<Energy> energy = {};
  bool operator==(const ReferenceResult&) const = default;
};

/// One algorithm of the reference library in the same rounds.
struct ReferenceTime {
  std::string name;
  double median_us = 0;
  bool operator==(const ReferenceTime&) const = default;
};

/// The times of a config: median and interval of its rounds, and the medians of the device's clock
/// and power in them, 0 if unknown.
struct Timing {
  double median_us = 0;
  Interval ci_us;
  double tflops = 0;
  double sm_mhz = 0;
  double watts = 0;
  bool operator==(const Timing&) const = default;
};

/// The timing of an entry with at least one sample.
Timing summarize(const Workload& workload, const RaceEntry& entry);

/// What makes a config the best: its median time, the joules of a launch, or their product.
enum class Objective { Time, Energy, Edp };

inline constexpr std::string_view kObjectives[] = {"time", "energy", "edp"};

/// Joules, and products of them, that differ by less than this share are equal to the choice.
inline constexpr double kSameCostWithin = 0.01;

/// Throws a usage error.
Objective parse_objective(std::string_view text);

/// Another config that the measurement cannot separate from the choice.
struct Tie {
  TileConfig config;
  double ratio = 1;  // its cost by the objective, divided by the choice's
  bool operator==(const Tie&) const = default;
};

/// What a key of a group's schedule, or dividing its tiles, is worth: the choice with another
/// value, and with others of further keys if the first alone is not legal, in the rounds of the
/// answer.
struct Alternative {
  TileConfig config;
  std::string change;                // "problem_order=given"
  std::optional<PairedRatio> ratio;  // its time divided by the choice's; 1 where `same`
  bool same_launch = false;          // launches the same units on the same CTAs in the same order
  bool operator==(const Alternative&) const = default;
};

/// For a stack that cannot express the choice: the fastest config of the answer's rounds that it
/// can express.
struct ExportConfig {
  std::string stack;  // "cutlass"
  TileConfig config;
  PairedRatio ratio;  // its time divided by the choice's
  bool operator==(const ExportConfig&) const = default;
};

/// How many configs there were, and what became of them.
struct Considered {
  int64_t enumerated = 0;
  std::map<std::string, int64_t> rejected;  // by rule; refusals of the compiler, too
  int64_t measured = 0;
  bool operator==(const Considered&) const = default;
};

/// A kernel that computed wrong results: never timed, never chosen.
struct WrongKernel {
  TileConfig config;
  Verification verification;
  bool operator==(const WrongKernel&) const = default;
};

/// The answer for one problem. Without `timing` the choice is the model's, and nothing ran.
struct TuneEntry {
  Workload problem;
  TileConfig choice;
  Estimate predicted;
  std::optional<Timing> timing;
  std::optional<ReferenceResult> reference;
  std::optional<Counters> counters;
  std::string why_no_counters;
  std::optional<Verification> verified;
  std::optional<BuildResult> build;
  Objective objective = Objective::Time;
  std::optional<Energy> energy;
  std::vector<ReferenceTime> references;      // every one that was timed
  std::vector<LibraryPin> library_pins = {};  // of one product, by version
  std::vector<Alternative> alternatives;      // of a group
  std::vector<ExportConfig> exports = {};     // of a product
  std::vector<Tie> ties;
  std::vector<WrongKernel> wrong;
  Considered considered;
  std::string determinism = "bitwise";  // determinism_of() the choice
  bool pinned = false;                  // by the user: nothing replaces it
  std::string required;                 // requirement that the search had; empty: none
  std::optional<Origin> origin = {};    // of `timing`; empty where a file does not record it
  bool operator==(const TuneEntry&) const = default;
};

/// Which side has the fastest kernel for a problem.
enum class Winner { Ours, Library };

/// Library if the ratio's interval shows that its algorithm is faster, or if it costs less by the
/// objective; else Ours.
Winner winner_of(const TuneEntry& entry);

/// Receives a search's progress; the default ignores it.
class ProgressListener {
 public:
  virtual ~ProgressListener() = default;
  /// A new phase of `total` steps ("compile", "verify", "race", ...).
  virtual void begin(const std::string& /*phase*/, int64_t /*total*/) {}
  /// `done` steps of the phase are done; `best_us` is the best time so far, 0 before there is one.
  virtual void advance(int64_t /*done*/, double /*best_us*/) {}
  /// One line for the user, for example a wrong kernel's name.
  virtual void note(const std::string& /*line*/) {}
};

}  // namespace tilewright
