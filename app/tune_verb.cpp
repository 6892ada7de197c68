// tilewright tune: enumerate, predict, run, verify, choose.
#include "tune_verb.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <string>

#include "base/files.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "job.hpp"
#include "lane_pool.hpp"
#include "progress_bar.hpp"
#include "search/look_ahead.hpp"
#include "search/rank.hpp"
#include "search/shares.hpp"
#include "search/strategy.hpp"
#include "search/tuner.hpp"
#include "store/answers_file.hpp"
#include "store/best_table.hpp"
#include "store/device_preset.hpp"
#include "store/measured_json.hpp"
#include "store/record_store.hpp"
#include "store/stored_answers.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/workload/device_spec.hpp"
#include "tune_lane.hpp"
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

// A list may hold a problem many times, by aliases too: it has one answer.
std::vector<Workload> each_once(const std::vector<Workload>& listed, const Console& console) {
  std::vector<Workload> problems;
  std::set<std::string> known;
  for (const Workload& problem : listed) {
    if (known.insert(full_text(problem)).second) problems.push_back(problem);
  }
  const size_t again = listed.size() - problems.size();
  if (again > 0) {
    console.say(
        format("{} of {} problems are listed before: each is tuned once", again, listed.size()));
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
      const Enumeration found = enumerate(problem, spaces, device);
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

void require_sound(const TuneOptions& options, const Rank& rank) {
  if (!options.require.empty() && options.require != kRequirements[0]) {
    throw usage_error(format("--require '{}'{}; known is {}", options.require,
                             did_you_mean(options.require, kRequirements), kRequirements[0]));
  }
  if (!options.strategy.empty()) parse_strategy(options.strategy);
  parse_objective(options.objective);
  if (options.resume && options.store.empty() && rank.size == 1) {
    throw usage_error("--resume goes on from a store: name it with --store FILE.jsonl");
  }
  if (options.store == "-") throw usage_error("--store '-': a store is a file that grows");
  parse_budget(options.budget);
  parse_regime(options.regime);
}

TunePolicy policy_of(const TuneOptions& options) {
  TunePolicy policy;
  policy.spaces = spaces_of(options);
  policy.rounds = options.rounds;
  policy.seed = static_cast<uint64_t>(options.seed);
  policy.counters = options.counters;
  policy.incumbent = incumbent_of(options);
  policy.deterministic = !options.require.empty();
  if (!options.strategy.empty()) policy.strategy = parse_strategy(options.strategy);
  policy.objective = parse_objective(options.objective);
  return policy;
}

// The run over a share of the problems, on one device or on several at once: its artefact grows
// entry by entry.
class TuneRun {
 public:
  TuneRun(const TuneOptions& options, const TuneShare& share,
          const std::vector<ResolvedDevice>& devices, Console& console)
      : options_(options),
        share_(share),
        devices_(devices),
        console_(console),
        // Where the artefact itself goes to standard output, the tables make room.
        people_(options.output == "-" ? console.err : console.out),
        bar_(console) {
    artefact_.tool_version = kVersion;
    artefact_.predicted = devices.front().gpu_index < 0;
    artefact_.device = fingerprint(devices.front().spec, artefact_.predicted);
  }

  ExitCode run() {
    try {
      open();
      work();
    } catch (...) {
      keep();
      throw;
    }
    finish();
    return code_;
  }

 private:
  void open() {
    const ResolvedDevice& first = devices_.front();
    require_regime(options_.regime, first);
    if (artefact_.predicted && options_.objective != kObjectives[0]) {
      throw environment_error(
          format("--objective {} needs joules of launches; device {} is a preset",
                 options_.objective, first.spec.name));
    }
    if (artefact_.predicted && !options_.store.empty()) {
      throw environment_error(
          format("--store keeps measurements; device {} is a preset", first.spec.name));
    }
    file_.emplace(
        options_.output,
        AnswersSource{artefact_.device, artefact_.predicted,
                      artefact_.predicted ? Regime::Rotate : parse_regime(options_.regime)},
        options_.overwrite);
    std::optional<RecordStore> earlier;
    if (options_.resume) earlier = read_earlier();
    pool_.emplace(options_, devices_, policy_of(options_), earlier ? &*earlier : nullptr, console_,
                  bar_);
  }

  // What runs like this one left in this rank's store, which may have died before its first word,
  // and in the others'.
  RecordStore read_earlier() {
    RecordStore earlier;
    for (const std::string& path : share_.stores) {
      try {
        add_earlier(earlier, path, parse_records(read_file(path, kMostStoreBytes), path));
      } catch (const Error& error) {
        // Whose rank has just begun it may hold no whole line.
        console_.say(format("left out: {}", error.what()));
      }
    }
    if (is_missing(options_.store)) {
      if (share_.rank.size == 1 && share_.stores.empty()) {
        throw usage_error(format("--resume: '{}' does not exist; leave --resume out to begin it",
                                 options_.store));
      }
      console_.say(format("{} does not exist: this rank begins it", options_.store));
      return earlier;
    }
    RecordStore own = parse_records(read_file(options_.store, kMostStoreBytes), options_.store);
    console_.say(reading_notes(own, options_.store));
    add_earlier(earlier, options_.store, own);
    if (earlier.runs.empty()) {
      console_.say(format("{} has no run with these options on such a device: all is measured",
                          options_.store));
    }
    return earlier;
  }

  void add_earlier(RecordStore& earlier, const std::string& path, const RecordStore& store) {
    RecordStore like = runs_like(store, session_of(options_, devices_.front()), artefact_.device);
    for (auto& [problem, answer] : answers_of(like)) {
      answered_.insert_or_assign(problem, Answered{path, std::move(answer)});
    }
    add_runs(earlier, std::move(like));
  }

  // What is left to tune; what another device or another rank has answered before is kept.
  std::vector<LanePool::Turn> turns() {
    std::vector<LanePool::Turn> turns;
    for (const size_t place : share_.places) {
      const Workload& problem = share_.problems[place];
      const auto answer = answered_.find(full_text(problem));
      const bool is_answered = answer != answered_.end();
      const bool is_own = is_answered && answer->second.store == options_.store;
      const TuneLane* const lane = pool_->find(
          [&](const TuneLane& one) { return is_own ? one.answered(problem) : one.knows(problem); });
      if (is_answered && !(is_own && lane != nullptr)) {
        console_.say(format("{}: answered in {}, kept", to_string(problem), answer->second.store));
        parts_.emplace(place, answer->second.artefact);
      } else {
        turns.push_back({place, problem, lane});
      }
    }
    return turns;
  }

  void work() {
    pool_->line_up(turns(), share_.places.size());
    for (size_t i = 0; i < pool_->size(); ++i) prepare_next();
    pool_->run([this](TuneLane& lane, const LanePool::Turn& turn, Progress& progress) {
      std::optional<Ranking> ranking = take_ranking(turn.place);
      prepare_next();
      const TuneResult result = lane.search(turn.problem, progress, std::move(ranking));
      const auto held = pool_->lock();
      add(lane, turn.place, result);
    });
  }

  // Ranks and compiles for the next problem, while this one is at a device.
  void prepare_next() {
    const ResolvedDevice& any = devices_.front();
    if (any.gpu_index < 0) return;
    const std::optional<LanePool::Turn> turn = pool_->upcoming();
    if (!turn) return;
    const auto held = pool_->lock();
    ahead_[turn->place] =
        look_ahead(turn->problem, policy_of(options_), any.spec, any.backend->open_compiler());
  }

  // Of what was prepared; waits until that is done.
  std::optional<Ranking> take_ranking(size_t place) {
    std::future<Ranking> prepared;
    {
      const auto held = pool_->lock();
      prepared = std::move(ahead_[place]);
    }
    return prepared.valid() ? std::optional(prepared.get()) : std::nullopt;
  }

  void add(TuneLane& lane, size_t place, const TuneResult& result) {
    Artefact& part = parts_[place];
    part.method = lane.method();
    part.rounds = result.rounds;
    part.entries = {result.entry};
    lane.keep(result, {static_cast<int64_t>(place), std::ssize(share_.problems)});
    if (!result.entry.why_no_counters.empty() && !told_no_counters_) {
      console_.say(format("no hardware counters: {}", result.entry.why_no_counters));
      told_no_counters_ = true;
    }
    // What was measured outlives whatever ends the process next.
    if (file_->is_replaceable()) save();
    if (options_.format == Format::Text) {
      people_ << tune_report(result, devices_.front().spec, options_.top, table_width(console_))
              << '\n'
              << std::flush;
    }
  }

  // In the order of the problems, whoever was done first; then what somebody pinned before.
  const Artefact& artefact() {
    artefact_.entries.clear();
    artefact_.entries.reserve(parts_.size());
    for (const auto& [place, part] : parts_) {
      artefact_.entries.push_back(part.entries.front());
      artefact_.rounds = std::max(artefact_.rounds, part.rounds);
      artefact_.method = part.method;
    }
    replaced_ = keep_pinned(artefact_, file_->pinned());
    return artefact_;
  }

  void save() {
    file_->save(artefact());
    console_.say(file_->take_notes());
  }

  void keep() {
    bar_.clear();
    if (options_.output.empty() || parts_.empty()) return;
    save();
    if (!file_->pinned().empty()) {
      console_.say(pinned_line(options_.output, file_->pinned().size(), replaced_));
    }
    console_.say(file_->summary());
    if (options_.output == "-") return;
    console_.say(format("wrote {}", file_->path().string()));
  }

  void finish() {
    keep();
    code_ = pool_->look_back();
    if (code_ == ExitCode::Interrupted) {
      console_.say(
          format("interrupted: {} of {} problems are tuned", parts_.size(), share_.places.size()));
    }
    if (options_.format == Format::Json) {
      console_.out << tune_json(artefact());
    } else if (parts_.size() > 1) {
      people_ << tune_summary(artefact().entries, table_width(console_));
    }
  }

  struct Answered {
    std::string store;
    Artefact artefact;  // of one entry
  };

  const TuneOptions& options_;
  const TuneShare& share_;
  const std::vector<ResolvedDevice>& devices_;
  Console& console_;
  std::ostream& people_;
  ProgressBar bar_;
  std::optional<LanePool> pool_;
  std::map<std::string, Answered> answered_;  // by problem, of what is resumed
  // What lanes share.
  std::map<size_t, std::future<Ranking>> ahead_;  // by place; taken ones are empty
  std::map<size_t, Artefact> parts_;              // of one entry, by place
  Artefact artefact_;
  std::optional<AnswersFile> file_;  // that the answers go to
  int64_t replaced_ = 0;             // answers, by rows that are pinned in it
  ExitCode code_ = ExitCode::Good;
  bool told_no_counters_ = false;
};

// The problems that are this rank's, as every other rank sees it, too: by what they should take on
// one and the same device, whatever this host has.
std::vector<size_t> places_of(const std::vector<Workload>& problems, const Rank& rank) {
  std::vector<double> seconds;
  seconds.reserve(problems.size());
  const DeviceSpec yardstick = load_device_preset("h200");
  for (const Workload& problem : problems) {
    seconds.push_back(rank.size == 1 ? 1 : tuning_seconds(problem, yardstick));
  }
  const std::vector<int64_t> owners = deal(seconds, rank.size);
  std::vector<size_t> places;
  for (size_t i = 0; i < problems.size(); ++i) {
    if (owners[i] == rank.rank) places.push_back(i);
  }
  return places;
}

// What ranks measure is kept though nobody names a store, for otherwise nobody could join it.
std::string store_of_all(const TuneOptions& given, const Rank& rank, bool measures) {
  return given.store.empty() && measures && rank.size > 1 ? "tune.jsonl" : given.store;
}

// The stores of the command's other ranks, as many as there ever were.
std::vector<std::string> stores_of_others(const std::string& store_of_all, const std::string& own) {
  std::vector<std::string> stores = files_of_ranks(store_of_all);
  const std::filesystem::path name = std::filesystem::path(own).filename();
  std::erase_if(stores, [&name](const std::filesystem::path& s) { return s.filename() == name; });
  return stores;
}

}  // namespace

TuneShare share_of(const std::vector<Workload>& problems, const Rank& rank) {
  return {.problems = problems, .places = places_of(problems, rank), .rank = rank};
}

ExitCode tune_problems(const TuneOptions& options, const TuneShare& share,
                       const std::vector<ResolvedDevice>& devices, Console& console) {
  std::vector<Workload> problems;
  problems.reserve(share.places.size());
  for (const size_t place : share.places) problems.push_back(share.problems[place]);
  for (const Workload& problem : problems) require_memory(problem, devices.front().spec);
  explain_device(devices.front(), console);
  if (options.dry_run) return dry_run(options, problems, devices.front().spec, console);
  return TuneRun(options, share, devices, console).run();
}

ExitCode run_tune(const TuneOptions& given, Console& console, const BackendLoader& load) {
  if (given.output == "-" && given.format == Format::Json) {
    throw usage_error("-o - and --format json both write standard output: choose one");
  }
  const auto variable = [](const char* name) { return std::getenv(name); };
  const Rank rank = given.rank.empty() ? launched_rank(variable) : parse_rank(given.rank);
  if (!given.output.empty()) require_writable(file_of_rank(given.output, rank));
  if (!given.dispatch.empty()) {
    require_sound(given, rank);
    return tune_dispatch(given, rank, console, load);
  }
  if (given.problems.empty()) {
    throw usage_error("PROBLEM is required; 'tilewright tune --help' lists what it takes");
  }
  const std::vector<Workload> problems =
      each_once(read_runnable(given.problems, given.kind), console);
  if (!given.config.empty()) parse_config(given.config);
  incumbent_of(given);
  require_sound(given, rank);
  const std::vector<ResolvedDevice> devices = resolve_devices(given.device, rank, load);
  if (!given.replay.empty()) return replay_tune(given, problems, devices.front(), console);
  const std::string store = store_of_all(given, rank, devices.front().gpu_index >= 0);
  TuneOptions options = given;
  options.store = file_of_rank(store, rank);
  options.output = file_of_rank(given.output, rank);
  TuneShare share = share_of(problems, rank);
  if (options.resume && !store.empty()) share.stores = stores_of_others(store, options.store);
  if (rank.size > 1) {
    console.say(format("rank {} of {} ({}): {} of {} problems{}", rank.rank, rank.size, rank.source,
                       share.places.size(), problems.size(),
                       options.store.empty() ? "" : format(", records in {}", options.store)));
    if (share.places.empty()) return ExitCode::Good;
  }
  return tune_problems(options, share, devices, console);
}

}  // namespace tilewright
