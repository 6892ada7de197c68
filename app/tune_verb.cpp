// tilewright tune: enumerate, predict, run, verify, choose.

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <optional>
#include <ostream>
#include <string>

#include "base/files.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "job.hpp"
#include "progress_bar.hpp"
#include "search/rank.hpp"
#include "search/recorder.hpp"
#include "search/strategy.hpp"
#include "search/tuner.hpp"
#include "store/best_table.hpp"
#include "store/measured_json.hpp"
#include "store/record_store.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/workload/device_spec.hpp"
#include "tune_table.hpp"
#include "verbs.hpp"

namespace tilewright {
namespace {

std::vector<SearchSpace> spaces_of(const TuneOptions& options) {
  const ConfigRequest request =
      options.config.empty() ? ConfigRequest{} : parse_config(options.config);
  return requested_spaces(request);
}

std::optional<TileConfig> incumbent_of(const TuneOptions& options) {
  if (options.incumbent.empty()) return std::nullopt;
  const ConfigRequest request = parse_config(options.incumbent);
  if (const std::optional<std::string> key = missing_key(request)) {
    throw usage_error(
        format("--incumbent {}: the key '{}' is missing; give a whole config, such as "
               "tilewright best prints",
               options.incumbent, *key));
  }
  return config_of(request);
}

ExitCode dry_run(const TuneOptions& options, const std::vector<Workload>& problems,
                 const DeviceSpec& device, Console& console) {
  const std::vector<SearchSpace> spaces = spaces_of(options);
  std::vector<DryRun> runs;
  ExitCode code = ExitCode::Good;
  for (const Workload& problem : problems) {
    const Enumeration found = enumerate(problem, spaces, device);
    const int64_t legal = found.legal;
    runs.push_back({problem, found.enumerated, legal, found.rejected});
    if (legal == 0) code = ExitCode::No;
    if (options.format == Format::Text) {
      console.out << dry_run_report(problem, found, legal, table_width(console));
    }
  }
  if (options.format == Format::Json) console.out << dry_run_json(runs, device);
  return code;
}

// How much may be measured of one problem.
struct Budget {
  std::optional<int64_t> configs;
  std::optional<int64_t> seconds;
};

Budget budget_of(const TuneOptions& options) {
  if (options.budget.empty()) return {};
  const bool is_time = options.budget.back() == 's';
  const std::string digits = options.budget.substr(0, options.budget.size() - (is_time ? 1 : 0));
  const std::optional<int64_t> number = parse_count(digits);
  if (!number || *number == 0) {
    throw usage_error(format(
        "--budget {}: write seconds, such as 60s, or a number of configs from 1", options.budget));
  }
  Budget budget;
  (is_time ? budget.seconds : budget.configs) = number;
  return budget;
}

void require_sound(const TuneOptions& options) {
  constexpr std::string_view kKnown[] = {"deterministic"};
  if (!options.require.empty() && options.require != kKnown[0]) {
    throw usage_error(format("--require '{}'{}; known is deterministic", options.require,
                             did_you_mean(options.require, kKnown)));
  }
  if (!options.strategy.empty()) parse_strategy(options.strategy);
  parse_objective(options.objective);
  if (options.resume && options.store.empty()) {
    throw usage_error("--resume goes on from a store: name it with --store FILE.jsonl");
  }
  if (options.store == "-") throw usage_error("--store '-': a store is a file that grows");
  budget_of(options);
}

// All that decides a search beside its measurements.
std::string session_of(const TuneOptions& options, const ResolvedDevice& device) {
  return hash_text(format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", kVersion, options.config,
                          options.incumbent, options.require, options.strategy, options.objective,
                          options.rounds, options.seed, device.spec.name,
                          device.backend->versions()));
}

// Where a run's records go, and those that it goes on from.
class RecordedRun {
 public:
  RecordedRun(const TuneOptions& options, const ResolvedDevice& device, Runner& runner,
              Console& console)
      : console_(console) {
    const std::string uuid = device.backend->device_uuid(device.gpu_index);
    const std::string session = session_of(options, device);
    RunLog earlier;
    if (options.resume) earlier = log_of(read(options.store), session, uuid);
    if (options.resume && earlier.empty()) {
      console.err << format("{} has no run with these options on this device: all is measured\n",
                            options.store);
    }
    file_.emplace(options.store, RunHead{.run = new_run_name(),
                                         .device_uuid = uuid,
                                         .device = fingerprint(device.spec, false),
                                         .tool_version = kVersion,
                                         .environment = device.backend->versions(),
                                         .session = session});
    recorder_.emplace(runner, std::move(earlier),
                      [this](const Record& record) { file_->tell(record); });
  }
  RecordedRun(const RecordedRun&) = delete;
  RecordedRun& operator=(const RecordedRun&) = delete;

  ~RecordedRun() {
    if (recorder_->replayed() == 0) return;
    console_.err << format("{} launches came from the store, {} were timed\n",
                           recorder_->replayed(), recorder_->measured());
  }

  Recorder& recorder() { return *recorder_; }
  void answer(const TuneEntry& entry) const { file_->answer(entry); }

 private:
  RecordStore read(const std::string& path) const {
    if (is_missing(path)) {
      throw usage_error(
          format("--resume: '{}' does not exist; leave --resume out to begin it", path));
    }
    RecordStore store = parse_records(read_file(path, kMostStoreBytes), path);
    if (store.unread > 0) console_.err << unread_lines(store, path);
    return store;
  }

  Console& console_;
  std::optional<RecordFile> file_;
  std::optional<Recorder> recorder_;
};

// The run over all problems: its artefact grows entry by entry.
class TuneRun {
 public:
  TuneRun(const TuneOptions& options, const ResolvedDevice& device, Console& console)
      : options_(options),
        device_(device),
        console_(console),
        // Where the artefact itself goes to standard output, the tables make room.
        people_(options.output == "-" ? console.err : console.out),
        bar_(console) {
    policy_.spaces = spaces_of(options);
    policy_.rounds = options.rounds;
    policy_.seed = static_cast<uint64_t>(options.seed);
    policy_.counters = options.counters;
    policy_.incumbent = incumbent_of(options);
    policy_.deterministic = !options.require.empty();
    if (!options.strategy.empty()) policy_.strategy = parse_strategy(options.strategy);
    policy_.objective = parse_objective(options.objective);
    const Budget budget = budget_of(options);
    policy_.is_bounded = budget.configs || budget.seconds;
    policy_.most_configs = budget.configs.value_or(policy_.most_configs);
    policy_.is_spent = [this](int64_t measured) { return is_spent(measured); };
    artefact_.tool_version = kVersion;
    artefact_.predicted = device.gpu_index < 0;
    artefact_.device = fingerprint(device.spec, artefact_.predicted);
  }

  ExitCode run(const std::vector<Workload>& problems) {
    try {
      open();
      for (size_t i = 0; i < problems.size() && code_ != ExitCode::Interrupted; ++i) {
        bar_.subject(format("{} ({} of {})", short_name(problems[i]), i + 1, problems.size()));
        tune_one(problems[i]);
      }
    } catch (...) {
      keep();
      throw;
    }
    finish(problems.size());
    return code_;
  }

 private:
  void open() {
    if (artefact_.predicted && policy_.objective != Objective::Time) {
      throw environment_error(
          format("--objective {} needs joules of launches; device {} is a preset",
                 options_.objective, device_.spec.name));
    }
    if (artefact_.predicted && !options_.store.empty()) {
      throw environment_error(
          format("--store keeps measurements; device {} is a preset", device_.spec.name));
    }
    if (artefact_.predicted) return;
    runner_.emplace(device_, console_.err, policy_.seed);
    console_.err << (**runner_).timer_check() << '\n' << std::flush;
    if (options_.store.empty()) return;
    recorded_.emplace(options_, device_, **runner_, console_);
    policy_.between_races = [this] { recorded_->recorder().between_races(); };
  }

  bool is_spent(int64_t measured) const {
    const Budget budget = budget_of(options_);
    const auto spent = std::chrono::steady_clock::now() - begin_;
    return measured >= budget.configs.value_or(std::numeric_limits<int64_t>::max()) ||
           (budget.seconds && spent >= std::chrono::seconds(*budget.seconds));
  }

  Runner& asked() { return recorded_ ? recorded_->recorder() : **runner_; }

  void tune_one(const Workload& problem) {
    try {
      throw_if_interrupted();
      begin_ = std::chrono::steady_clock::now();
      add(runner_ ? tune(problem, asked(), policy_, bar_)
                  : predict(problem, device_.spec, policy_));
    } catch (const Error& error) {
      bar_.clear();
      if (error.code() == ExitCode::Interrupted) {
        code_ = ExitCode::Interrupted;
      } else if (error.code() == ExitCode::No || error.code() == ExitCode::WrongResult) {
        // The other problems still have answers.
        console_.err << format("tilewright: {}\n", error.what());
        code_ = std::max(code_, error.code());
      } else {
        throw;
      }
    }
  }

  void add(const TuneResult& result) {
    bar_.clear();
    artefact_.entries.push_back(result.entry);
    artefact_.rounds = std::max(artefact_.rounds, result.rounds);
    if (runner_) artefact_.method = asked().method();
    if (recorded_) recorded_->answer(result.entry);
    if (!result.entry.why_no_counters.empty() && !told_no_counters_) {
      console_.err << format("no hardware counters: {}\n", result.entry.why_no_counters);
      told_no_counters_ = true;
    }
    // What was measured outlives whatever ends the process next.
    if (!options_.output.empty() && is_replaceable(options_.output)) save();
    if (options_.format == Format::Text) {
      people_ << tune_report(result, device_.spec, options_.top, table_width(console_)) << '\n'
              << std::flush;
    }
  }

  void save() const { write_file(options_.output, print_best(artefact_)); }

  void keep() {
    bar_.clear();
    if (options_.output.empty() || artefact_.entries.empty()) return;
    save();
    if (options_.output == "-") return;
    console_.err << format("wrote {}\n", options_.output);
  }

  void finish(size_t problem_count) {
    keep();
    if (code_ == ExitCode::Interrupted) {
      console_.err << format("interrupted: {} of {} problems are tuned\n", artefact_.entries.size(),
                             problem_count);
    }
    if (options_.format == Format::Json) {
      console_.out << tune_json(artefact_);
    } else if (artefact_.entries.size() > 1) {
      people_ << tune_summary(artefact_.entries, table_width(console_));
    }
  }

  const TuneOptions& options_;
  const ResolvedDevice& device_;
  Console& console_;
  std::ostream& people_;
  ProgressBar bar_;
  TunePolicy policy_;
  std::optional<WatchedRunner> runner_;
  std::optional<RecordedRun> recorded_;
  std::chrono::steady_clock::time_point begin_;  // of the problem
  Artefact artefact_;
  ExitCode code_ = ExitCode::Good;
  bool told_no_counters_ = false;
};

}  // namespace

ExitCode tune_problems(const TuneOptions& options, const std::vector<Workload>& problems,
                       const ResolvedDevice& device, Console& console) {
  for (const Workload& problem : problems) require_memory(problem, device.spec);
  explain_device(device, console);
  if (options.dry_run) return dry_run(options, problems, device.spec, console);
  return TuneRun(options, device, console).run(problems);
}

ExitCode run_tune(const TuneOptions& options, Console& console, const BackendLoader& load) {
  if (options.output == "-" && options.format == Format::Json) {
    throw usage_error("-o - and --format json both write standard output: choose one");
  }
  if (!options.output.empty()) require_writable(options.output);
  const std::vector<Workload> problems = read_runnable(options.problems, options.kind);
  if (!options.config.empty()) parse_config(options.config);
  incumbent_of(options);
  require_sound(options);
  const ResolvedDevice device = resolve_device(options.device, load);
  if (!options.replay.empty()) return replay_tune(options, problems, device, console);
  return tune_problems(options, problems, device, console);
}

}  // namespace tilewright
