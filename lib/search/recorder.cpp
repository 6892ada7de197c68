#include "search/recorder.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

// Adds records one after the other to the log of their problem.
class LogReader {
 public:
  explicit LogReader(RunLog& log) : log_(log) {}

  void operator()(const ProblemRecord& record) {
    problem_ = &log_[full_text(record.problem)];
    problem_->method = record.method;
    rounds_.clear();
  }
  void operator()(const ReferencesRecord& record) { known().references = record; }
  void operator()(const BuildRecord& record) { known().builds[record.config] = record.result; }
  void operator()(const VerifyRecord& record) {
    ProblemLog& log = known();
    (record.in_round ? log.verifications_in_round : log.verifications)[record.config] = record;
  }
  void operator()(const RaceRecord& record) {
    known().races[record.race] = std::move(rounds_);
    rounds_.clear();
  }
  void operator()(const RoundRecord& record) {
    rounds_.resize(std::max(rounds_.size(), static_cast<size_t>(record.round) + 1));
    ProblemLog::Round& round = rounds_[static_cast<size_t>(record.round)];
    round.insert(round.end(), record.times.begin(), record.times.end());
  }
  void operator()(const CountRecord& record) { known().counts[record.contender] = record.reading; }
  void operator()(const EnergyRecord& record) {
    known().energies[{record.contender, record.reading_index}] = record.reading;
  }

 private:
  ProblemLog& known() {
    if (problem_ == nullptr) throw usage_error("a record precedes the record of its problem");
    return *problem_;
  }

  RunLog& log_;
  ProblemLog* problem_ = nullptr;
  std::vector<ProblemLog::Round> rounds_;  // of the race that has not ended
};

}  // namespace

void add_to(RunLog& log, const std::vector<Record>& run) {
  LogReader reader(log);
  for (const Record& record : run) std::visit(reader, record);
}

Recorder::Recorder(Runner& inner, RunLog earlier, std::function<void(const Record&)> write)
    : inner_(inner), earlier_(std::move(earlier)), write_(std::move(write)) {}

void Recorder::prepare(const Workload& workload) {
  problem_ = workload;
  const auto at = earlier_.find(full_text(problem_));
  log_ = at == earlier_.end() ? nullptr : &at->second;
  is_prepared_ = false;
  built_.clear();
  references_.clear();
  library_ = {};
  energy_readings_.clear();
  race_ = -1;
  round_ = 0;
  replays_race_ = false;
  if (log_ == nullptr) prepared_runner();
}

// The inner runner, prepared when it is first needed.
Runner& Recorder::prepared_runner() {
  if (is_prepared_) return inner_;
  inner_.prepare(problem_);
  is_prepared_ = true;
  write_(ProblemRecord{problem_, inner_.method()});
  for (const Contender& reference : inner_.reference_contenders()) {
    references_[reference.name] = reference;
  }
  return inner_;
}

MeasuringMethod Recorder::method() const {
  return !is_prepared_ && log_ != nullptr && log_->method ? *log_->method : inner_.method();
}

std::vector<BuildResult> Recorder::build(std::span<const TileConfig> configs) {
  std::vector<TileConfig> unknown;
  for (const TileConfig& config : configs) {
    if (log_ == nullptr || log_->builds.count(to_string(config)) == 0) unknown.push_back(config);
  }
  std::map<std::string, BuildResult> fresh;
  if (!unknown.empty()) {
    const std::vector<BuildResult> results = prepared_runner().build(unknown);
    for (size_t i = 0; i < unknown.size(); ++i) {
      const std::string name = to_string(unknown[i]);
      write_(BuildRecord{name, results[i]});
      fresh[name] = results[i];
      built_[name] = true;
    }
  }
  std::vector<BuildResult> results;
  for (const TileConfig& config : configs) {
    const auto known = fresh.find(to_string(config));
    results.push_back(known != fresh.end() ? known->second : log_->builds.at(to_string(config)));
  }
  return results;
}

std::vector<BuildResult> Recorder::build_foreign(std::span<const Contender> contenders) {
  std::vector<BuildResult> results;
  for (const Contender& contender : contenders) {
    if (log_ != nullptr && log_->builds.count(contender.name) == 1) {
      results.push_back(log_->builds.at(contender.name));
      continue;
    }
    results.push_back(prepared_runner().build_foreign({&contender, 1}).front());
    write_(BuildRecord{contender.name, results.back()});
  }
  return results;
}

std::vector<Contender> Recorder::reference_contenders() {
  if (log_ == nullptr || !log_->references) {
    std::vector<Contender> contenders = prepared_runner().reference_contenders();
    ReferencesRecord record;
    for (const Contender& contender : contenders) record.names.push_back(contender.name);
    record.library = library_ = prepared_runner().library_algorithms();
    write_(record);
    return contenders;
  }
  library_ = log_->references->library;
  std::vector<Contender> contenders;
  for (const std::string& name : log_->references->names) {
    contenders.push_back({.name = name,
                          .config = std::nullopt,
                          .reference_algorithm = static_cast<int>(contenders.size())});
  }
  return contenders;
}

// Configs with builds in the log were not built in this process.
void Recorder::build_missing(std::span<const Contender> contenders) {
  std::vector<TileConfig> configs;
  for (const Contender& contender : contenders) {
    if (contender.config && !built_[contender.name]) configs.push_back(*contender.config);
  }
  if (configs.empty()) return;
  prepared_runner().build(configs);
  for (const TileConfig& config : configs) built_[to_string(config)] = true;
}

// The library may list its algorithms in another order than in the earlier run.
std::vector<Contender> Recorder::runnable(std::span<const Contender> contenders) {
  prepared_runner();
  std::vector<Contender> translated;
  for (const Contender& contender : contenders) {
    if (!is_reference(contender)) {
      translated.push_back(contender);
      continue;
    }
    const auto own = references_.find(contender.name);
    if (own == references_.end()) {
      throw usage_error(
          format("the reference library no longer offers {}, which the store's run timed: tune "
                 "without --resume",
                 contender.name));
    }
    translated.push_back(own->second);
  }
  build_missing(translated);
  return translated;
}

template <typename Run>
Verification Recorder::recorded_or_run(std::map<std::string, VerifyRecord> ProblemLog::*known,
                                       VerifyRecord record, const Run& run) {
  if (log_ != nullptr) {
    const auto found = (log_->*known).find(record.config);
    if (found != (log_->*known).end()) {
      if (found->second.verification) return *found->second.verification;
      throw environment_error(found->second.failure);
    }
  }
  try {
    record.verification = run();
  } catch (const Error& error) {
    if (error.code() != ExitCode::Interrupted) {
      record.failure = error.what();
      write_(record);
    }
    throw;
  }
  write_(record);
  return *record.verification;
}

Verification Recorder::verify(const Contender& contender) {
  return recorded_or_run(&ProblemLog::verifications, {.config = contender.name}, [&] {
    const std::vector<Contender> own = runnable({&contender, 1});
    return prepared_runner().verify(own.front());
  });
}

Verification Recorder::verify_in_round(std::span<const Contender> contenders) {
  return recorded_or_run(&ProblemLog::verifications_in_round,
                         {.config = contenders.back().name, .in_round = true}, [&] {
                           const std::vector<Contender> own = runnable(contenders);
                           return prepared_runner().verify_in_round(own);
                         });
}

EnergyReading Recorder::measure_energy(const Contender& contender, double seconds) {
  const int64_t reading_index = energy_readings_[contender.name]++;
  if (log_ != nullptr) {
    const auto known = log_->energies.find({contender.name, reading_index});
    if (known != log_->energies.end()) return known->second;
  }
  const std::vector<Contender> own = runnable({&contender, 1});
  EnergyReading reading = prepared_runner().measure_energy(own.front(), seconds);
  write_(EnergyRecord{contender.name, reading_index, reading});
  return reading;
}

void Recorder::between_races() {
  if (round_ > 0 && !replays_race_) write_(RaceRecord{race_});
  ++race_;
  round_ = 0;
  replays_race_ = log_ != nullptr && log_->races.count(race_) == 1;
}

const ProblemLog::Round* Recorder::recorded_round(std::span<const Contender> contenders) const {
  if (!replays_race_) return nullptr;
  const std::vector<ProblemLog::Round>& rounds = log_->races.at(race_);
  if (static_cast<size_t>(round_) >= rounds.size()) return nullptr;
  const ProblemLog::Round& round = rounds[static_cast<size_t>(round_)];
  bool same = round.size() == contenders.size();
  for (size_t i = 0; same && i < round.size(); ++i) same = round[i].first == contenders[i].name;
  return same ? &round : nullptr;
}

std::vector<LaunchTime> Recorder::time_round(std::span<const Contender> contenders) {
  if (race_ < 0) throw internal_error("a round outside of races cannot be recorded");
  std::vector<LaunchTime> times;
  if (const ProblemLog::Round* const round = recorded_round(contenders)) {
    for (const auto& sample : *round) times.push_back(sample.second);
    replayed_ += static_cast<int64_t>(times.size());
  } else {
    if (replays_race_) {
      throw usage_error(
          format("the store's run differs in round {} of race {} of {}: it had other options or "
                 "another version; tune without --resume",
                 round_ + 1, race_ + 1, to_string(problem_)));
    }
    times = prepared_runner().time_round(runnable(contenders));
    RoundRecord record{.race = race_, .round = round_, .times = {}};
    for (size_t i = 0; i < times.size(); ++i) {
      record.times.emplace_back(contenders[i].name, times[i]);
    }
    if (!times.empty()) write_(record);
    measured_ += static_cast<int64_t>(times.size());
  }
  ++round_;
  return times;
}

std::vector<CounterReading> Recorder::count(std::span<const Contender> contenders) {
  std::vector<CounterReading> readings(contenders.size());
  std::vector<Contender> unknown;
  std::vector<size_t> places;
  for (size_t i = 0; i < contenders.size(); ++i) {
    const std::string& name = contenders[i].name;
    if (log_ != nullptr && log_->counts.count(name) == 1) {
      readings[i] = log_->counts.at(name);
    } else {
      unknown.push_back(contenders[i]);
      places.push_back(i);
    }
  }
  if (unknown.empty()) return readings;
  const std::vector<CounterReading> counted = prepared_runner().count(runnable(unknown));
  for (size_t i = 0; i < unknown.size(); ++i) {
    readings[places[i]] = counted[i];
    write_(CountRecord{unknown[i].name, counted[i]});
  }
  return readings;
}

KernelTrace Recorder::trace(const Contender& contender) {
  return prepared_runner().trace(runnable({&contender, 1}).front());
}

}  // namespace tilewright
