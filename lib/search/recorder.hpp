// Records all results of a runner, and returns them to the same calls later. A search decides by
// these results alone, so a search over the records of an earlier run takes the same steps up to
// where the records end.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "search/runner.hpp"

namespace tilewright {

/// The problem of the records that follow.
struct ProblemRecord {
  Workload problem;
  MeasuringMethod method;
  bool operator==(const ProblemRecord&) const = default;
};

/// The algorithms of the reference library in its order, and how to call them again.
struct ReferencesRecord {
  std::vector<std::string> names;
  LibraryAlgorithms library = {};
  bool operator==(const ReferencesRecord&) const = default;
};

struct BuildRecord {
  std::string config;
  BuildResult result;
  bool operator==(const BuildRecord&) const = default;
};

/// `failure`: why the config could not be launched; then there is no verification. `in_round`:
/// verified at the end of a timed round, else by itself.
struct VerifyRecord {
  std::string config;
  bool in_round = false;
  std::optional<Verification> verification = {};
  std::string failure = {};
  bool operator==(const VerifyRecord&) const = default;
};

/// The end of a race. Races of a problem are counted from 0.
struct RaceRecord {
  int64_t race = 0;
  bool operator==(const RaceRecord&) const = default;
};

/// A round's launches in their order, by contender. A round may be in several records.
struct RoundRecord {
  int64_t race = 0;
  int64_t round = 0;  // of the race, from 0
  std::vector<std::pair<std::string, LaunchTime>> times;
  bool operator==(const RoundRecord&) const = default;
};

struct CountRecord {
  std::string contender;
  CounterReading reading;
  bool operator==(const CountRecord& o) const {
    return contender == o.contender && reading.counters == o.reading.counters &&
           reading.why_not == o.reading.why_not;
  }
};

/// Readings of a contender are counted from 0.
struct EnergyRecord {
  std::string contender;
  int64_t reading_index = 0;
  EnergyReading reading;
  bool operator==(const EnergyRecord&) const = default;
};

using Record = std::variant<ProblemRecord, ReferencesRecord, BuildRecord, VerifyRecord, RaceRecord,
                            RoundRecord, CountRecord, EnergyRecord>;

/// All results of one problem in a run.
struct ProblemLog {
  using Round = decltype(RoundRecord::times);

  std::optional<MeasuringMethod> method;
  std::optional<ReferencesRecord> references;
  std::map<std::string, BuildResult> builds;
  std::map<std::string, VerifyRecord> verifications;
  std::map<std::string, VerifyRecord> verifications_in_round;
  std::map<int64_t, std::vector<Round>> races;  // those that ended
  std::map<std::string, CounterReading> counts;
  std::map<std::pair<std::string, int64_t>, EnergyReading> energies;  // by contender and index
};

/// The logs of a run by problem (full_text).
using RunLog = std::map<std::string, ProblemLog>;

/// Adds the records of one more run, except for the rounds of a race that did not end.
void add_to(RunLog& log, const std::vector<Record>& run);

/// A runner that returns results from an earlier log if it has them, and calls `inner` otherwise.
/// New results of `inner` go to `write` before they are returned.
class Recorder : public Runner {
 public:
  Recorder(Runner& inner, RunLog earlier, std::function<void(const Record&)> write);

  /// To be called between races, before the first and after the last. A race that had not ended
  /// starts again from its first round: times of two runs are never in one race.
  void between_races();

  const DeviceSpec& device() const override { return inner_.device(); }
  using Runner::prepare;
  void prepare(const Workload& workload) override;
  MeasuringMethod method() const override;
  std::vector<BuildResult> build(std::span<const TileConfig> configs) override;
  /// Not recorded: it is asked before anything else, and decides which log is read.
  HarnessText describe(const std::string& file) override { return inner_.describe(file); }
  std::vector<BuildResult> build_foreign(std::span<const Contender> contenders) override;
  /// Not recorded: it follows from the library's bytes, which the contender's name has a hash of.
  ForeignMapping mapping_of(const Contender& contender) override {
    return prepared_runner().mapping_of(contender);
  }
  std::vector<Contender> reference_contenders() override;
  /// Valid after a call of reference_contenders().
  LibraryAlgorithms library_algorithms() override { return library_; }
  Verification verify(const Contender& contender) override;
  std::vector<LaunchTime> time_round(std::span<const Contender> contenders) override;
  Verification verify_in_round(std::span<const Contender> contenders) override;
  EnergyReading measure_energy(const Contender& contender, double seconds) override;
  using Runner::count;
  std::vector<CounterReading> count(std::span<const Contender> contenders) override;
  KernelTrace trace(const Contender& contender) override;
  std::string timer_check() override { return inner_.timer_check(); }

  /// Launches with results from the log, and launches that ran.
  int64_t replayed() const { return replayed_; }
  int64_t measured() const { return measured_; }

 private:
  Runner& prepared_runner();
  void build_missing(std::span<const Contender> contenders);
  std::vector<Contender> runnable(std::span<const Contender> contenders);
  const ProblemLog::Round* recorded_round(std::span<const Contender> contenders) const;
  template <typename Run>
  Verification recorded_or_run(std::map<std::string, VerifyRecord> ProblemLog::*known,
                               VerifyRecord record, const Run& run);

  Runner& inner_;
  RunLog earlier_;
  std::function<void(const Record&)> write_;
  Workload problem_;
  const ProblemLog* log_ = nullptr;  // of the problem; null without one
  bool is_prepared_ = false;         // true if the inner runner is
  std::map<std::string, bool> built_;
  std::map<std::string, Contender> references_;  // the inner runner's
  LibraryAlgorithms library_;
  std::map<std::string, int64_t> energy_readings_;  // of each contender, so far
  int64_t race_ = -1;
  int64_t round_ = 0;
  bool replays_race_ = false;
  int64_t replayed_ = 0;
  int64_t measured_ = 0;
};

}  // namespace tilewright
