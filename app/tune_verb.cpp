// tilewright tune: enumerate, predict, run, verify, choose.
#include "tune_verb.hpp"

#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"
#include "device_tuner.hpp"
#include "earlier_runs.hpp"
#include "harness_files.hpp"
#include "job.hpp"
#include "output_files.hpp"
#include "prepared_rankings.hpp"
#include "progress_bar.hpp"
#include "search/strategy.hpp"
#include "search/tuner.hpp"
#include "store/measured_json.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/workload/device_spec.hpp"
#include "tune_agenda.hpp"
#include "tune_answers.hpp"
#include "tune_output.hpp"
#include "tune_table.hpp"
#include "tuner_pool.hpp"
#include "verbs.hpp"

namespace tilewright {
namespace {

std::vector<SearchSpace> spaces_of(const TuneOptions& options) {
  const ConfigRequest request =
      options.config.empty() ? ConfigRequest{} : parse_config(options.config);
  return spaces_for(parse_requirement(options.require), requested_spaces(request));
}

std::optional<TileConfig> incumbent_of(const TuneOptions& options) {
  if (options.incumbent.empty()) return std::nullopt;
  const ConfigRequest request = parse_config(options.incumbent);
  if (const std::optional<std::string> key = missing_key(request)) {
    throw usage_error(
        format("--incumbent {}: the key '{}' is missing; give a whole config, as tilewright best "
               "prints it",
               options.incumbent, *key));
  }
  return config_of(request);
}

// A list may contain a problem several times, also under aliases; it gets one answer.
std::vector<Workload> each_once(const std::vector<Workload>& listed, const Console& console) {
  std::vector<Workload> problems;
  std::set<std::string> known;
  for (const Workload& problem : listed) {
    if (known.insert(full_text(problem)).second) problems.push_back(problem);
  }
  const size_t again = listed.size() - problems.size();
  if (again > 0) {
    console.note(
        format("{} of {} problems are repetitions: each is tuned once", again, listed.size()));
  }
  return problems;
}

ExitCode dry_run(const TuneOptions& options, const std::vector<Workload>& problems,
                 const DeviceSpec& device, Console& console) {
  const std::vector<SearchSpace> spaces = spaces_of(options);
  std::vector<DryRun> runs;
  ExitCode code = ExitCode::Good;
  for (const Workload& problem : problems) {
    code = attempt(problem, code, console, [&] {
      const Enumeration found =
          enumerate_required(parse_requirement(options.require), problem, spaces, device);
      const int64_t legal = found.legal;
      runs.push_back({problem, found.enumerated, legal, found.rejected});
      if (options.format == Format::Text) {
        console.out << dry_run_report(problem, found, legal, table_width(console));
      }
      return legal == 0 ? ExitCode::No : ExitCode::Good;
    });
  }
  if (options.format == Format::Json) console.out << dry_run_json(runs, device);
  return code;
}

void require_own_places(const TuneOptions& options) {
  const NamedFile outputs[] = {{"-o", options.output}, {"--store", options.store}};
  std::vector<NamedFile> inputs = {
      {"--harness", options.harness.substr(0, options.harness.find(':'))}};
  for (const std::string& problem : options.problems) {
    inputs.push_back({"a PROBLEM", file_of_problem(problem)});
  }
  require_distinct(outputs, inputs);
}

void require_sound(const TuneOptions& options, const Rank& rank) {
  parse_requirement(options.require);
  if (!options.strategy.empty()) parse_strategy(options.strategy);
  parse_objective(options.objective);
  if (options.resume && options.store.empty() && rank.size == 1) {
    throw usage_error("--resume continues a store: add --store FILE.jsonl");
  }
  if (options.store == "-")
    throw usage_error("--store '-': a store must be a file, because tune appends to it");
  parse_budget(options.budget);
  parse_regime(options.regime);
}

// Refuses options that limit or steer measurements where nothing is measured.
void require_search(const TuneOptions& options, const std::string& why_not) {
  const std::pair<const char*, bool> search[] = {{"--budget", !options.budget.empty()},
                                                 {"--strategy", !options.strategy.empty()}};
  for (const auto& [name, is_given] : search) {
    if (is_given) throw usage_error(format("{} has no effect: {}; omit it", name, why_not));
  }
}

// Only a search has rows for --format csv.
void require_table(const TuneOptions& options) {
  if (options.format != Format::Csv) return;
  const std::pair<const char*, bool> others[] = {{"--dry-run", options.dry_run},
                                                 {"--replay", !options.replay.empty()},
                                                 {"--dispatch", !options.dispatch.empty()},
                                                 {"--pin-library", !options.pin_library.empty()}};
  for (const auto& [name, is_given] : others) {
    if (is_given) throw usage_error(format("--format csv has no rows of {}: use json", name));
  }
}

TunePolicy policy_of(const TuneOptions& options) {
  TunePolicy policy;
  policy.spaces = spaces_of(options);
  policy.rounds = options.rounds;
  policy.seed = static_cast<uint64_t>(options.seed);
  policy.counters = options.counters;
  policy.incumbent = incumbent_of(options);
  policy.require = parse_requirement(options.require);
  if (!options.strategy.empty()) policy.strategy = parse_strategy(options.strategy);
  policy.objective = parse_objective(options.objective);
  return policy;
}

void require_measurable(const TuneOptions& options, const ResolvedDevice& device) {
  require_regime(options.regime, device);
  if (device.gpu_index >= 0) return;
  // With "auto" and no GPU, answers without measurements are fine.
  if (device.why_no_gpu.empty()) {
    require_search(options, format("device {} is a preset, and nothing runs", device.spec.name));
  }
  if (options.objective != kObjectives[0]) {
    throw environment_error(
        format("--objective {} needs measured energy, and device {} is a preset: name cuda:N",
               options.objective, device.spec.name));
  }
  if (!options.store.empty()) {
    throw environment_error(
        format("--store holds measurements, and device {} is a preset: omit it or name cuda:N",
               device.spec.name));
  }
}

Artefact answer_of(DeviceTuner& tuner, const TuneResult& result) {
  Artefact answer;
  answer.method = tuner.method();
  answer.rounds = result.rounds;
  answer.entries = {result.entry};
  return answer;
}

// Runs a share of the problems on one device or on several at once, and collects the answers.
class TuneRun {
 public:
  TuneRun(const TuneOptions& options, const TuneShare& share,
          const std::vector<ResolvedDevice>& devices, Console& console)
      : share_(share),
        console_(console),
        bar_(console),
        answers_(options, devices.front(), console),
        earlier_(options.resume ? read_earlier_runs(options, share, devices.front(), console)
                                : EarlierRuns{}),
        pool_(options, devices, policy_of(options), std::exchange(earlier_.runs, {}), console,
              bar_),
        prepared_(pool_, policy_of(options), devices.front()),
        output_(options, devices.front(), console) {}

  ExitCode run() {
    try {
      pool_.enqueue(tasks(), share_.indices.size());
      for (size_t i = 0; i < pool_.size(); ++i) prepared_.begin_next();
      pool_.run([this](DeviceTuner& tuner, const TunerPool::Task& task,
                       ProgressListener& progress) { tune_one(tuner, task, progress); });
    } catch (...) {
      answers_.save_last();
      throw;
    }
    answers_.save_last();
    const ExitCode code = pool_.report_disturbances();
    if (code == ExitCode::Interrupted) {
      console_.note(format("interrupted: {} of {} problems were tuned", answers_.size(),
                           share_.indices.size()));
    }
    output_.show_all(answers_);
    return code;
  }

 private:
  // The problems that are left to tune; the other answers are kept.
  std::vector<TunerPool::Task> tasks() {
    TuneAgenda agenda = agenda_of(share_, earlier_.answers, pool_);
    std::map<std::string, std::vector<size_t>> stores;  // indices by the store of the answer
    for (auto& [index, answer] : agenda.kept) {
      stores[answer.store].push_back(index);
      answers_.put(index, std::move(answer.artefact));
    }
    for (const auto& [store, kept] : stores) {
      const bool one = kept.size() == 1;
      console_.note(format(
          "{}: {} holds the answer{} already; kept",
          one ? to_string(share_.problems[kept.front()]) : format("{} problems", kept.size()),
          store, one ? "" : "s"));
    }
    return std::move(agenda.tasks);
  }

  void tune_one(DeviceTuner& tuner, const TunerPool::Task& task, ProgressListener& progress) {
    std::optional<Ranking> ranking = prepared_.take(task.index);
    prepared_.begin_next();
    const TuneResult result = tuner.search(task.problem, progress, std::move(ranking));
    const auto held = pool_.lock();
    answers_.put(task.index, answer_of(tuner, result));
    tuner.keep(result, {static_cast<int64_t>(task.index), std::ssize(share_.problems)});
    output_.tell_missing_counters(result.entry);
    answers_.save_early();
    output_.show(result);
  }

  const TuneShare& share_;
  Console& console_;
  ProgressBar bar_;
  TuneAnswers answers_;
  EarlierRuns earlier_;
  TunerPool pool_;
  PreparedRankings prepared_;
  TuneOutput output_;
};

// Ranks that measure write a store even without --store, because otherwise their results could not
// be merged.
std::string store_of_all(const TuneOptions& given, const Rank& rank, bool measures) {
  return given.store.empty() && measures && rank.size > 1 ? "tune.jsonl" : given.store;
}

}  // namespace

ExitCode tune_problems(const TuneOptions& options, const TuneShare& share,
                       const std::vector<ResolvedDevice>& devices, Console& console) {
  const ResolvedDevice& first = devices.front();
  const std::vector<Workload> problems = grouped_problems(share);
  for (const Workload& problem : problems) require_memory(problem, first.spec);
  if (options.dry_run) {
    require_search(options, "--dry-run measures nothing");
  } else {
    require_measurable(options, first);
  }
  explain_device(first, console);
  if (options.dry_run) return dry_run(options, problems, first.spec, console);
  return TuneRun(options, share, devices, console).run();
}

ExitCode run_tune(const TuneOptions& given, Console& console, const BackendLoader& load) {
  if (given.output == "-" && given.format != Format::Text) {
    throw usage_error(format("-o - and --format {} both write to standard output: omit one",
                             kFormats[static_cast<size_t>(given.format)]));
  }
  require_table(given);
  const auto variable = [](const char* name) { return std::getenv(name); };
  const Rank rank = given.rank.empty() ? launched_rank(variable) : parse_rank(given.rank);
  if (!given.output.empty()) require_writable(file_of_rank(given.output, rank));
  require_own_places(given);
  if (!given.dispatch.empty()) {
    require_sound(given, rank);
    return tune_dispatch(given, rank, console, load);
  }
  if (!given.pin_library.empty()) {
    require_sound(given, rank);
    return pin_library(given, rank, console, load);
  }
  if (given.problems.empty()) {
    throw usage_error("PROBLEM is required; 'tilewright tune --help' lists what it takes");
  }
  const std::vector<ProblemArgument> arguments = read_arguments(given.problems);
  const std::vector<Workload> problems = each_once(read_runnable(arguments, given.kind), console);
  if (!given.config.empty()) parse_config(given.config);
  incumbent_of(given);
  TuneOptions with = given;
  with.harness = harness_for(given.harness, arguments);
  require_sound(with, rank);
  if (!with.harness.empty()) return tune_harness(with, problems, console);
  const std::vector<ResolvedDevice> devices = resolve_devices(given.device, rank, load);
  if (!given.replay.empty()) {
    if (!given.budget.empty()) {
      throw usage_error(
          "--budget has no effect: --replay measures nothing, and shows budgets of 10, 20 and 40 "
          "configs; omit it");
    }
    return replay_tune(given, problems, devices.front(), console);
  }
  const std::string store = store_of_all(given, rank, devices.front().gpu_index >= 0);
  TuneOptions options = given;
  options.store = file_of_rank(store, rank);
  options.output = file_of_rank(given.output, rank);
  TuneShare share = share_of(problems, rank);
  if (options.resume && !store.empty()) share.stores = stores_of_others(store, options.store);
  if (rank.size > 1) {
    console.note(format("rank {} of {} ({}): {} of {} problems{}", rank.rank, rank.size,
                        rank.source, share.indices.size(), problems.size(),
                        options.store.empty() ? "" : format(", records in {}", options.store)));
    if (share.indices.empty()) return ExitCode::Good;
  }
  return tune_problems(options, share, devices, console);
}

}  // namespace tilewright
