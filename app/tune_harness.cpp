// tilewright tune --harness: searches for the best parameters of a foreign kernel.

#include <chrono>
#include <optional>

#include "base/files.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "device_tuner.hpp"
#include "earlier_runs.hpp"
#include "foreign_table.hpp"
#include "harness_files.hpp"
#include "job.hpp"
#include "progress_bar.hpp"
#include "search/complete.hpp"
#include "search/foreign_search.hpp"
#include "store/answers_file.hpp"
#include "store/measured_json.hpp"
#include "store/record_store.hpp"
#include "tile/config/config_keys.hpp"
#include "tune_verb.hpp"

namespace tilewright {
namespace {

void require_sound(const TuneOptions& options) {
  const std::pair<bool, const char*> left_out[] = {
      {!options.config.empty(), "--config"},
      {!options.require.empty(), "--require"},
      {!options.rank.empty(), "--rank"},
      {!options.replay.empty(), "--replay"},
      {options.objective != kObjectives[0], "--objective"},
      {options.dry_run, "--dry-run"}};
  for (const auto& [is_given, name] : left_out) {
    if (is_given) throw usage_error(format("tune --harness takes no {}: omit it", name));
  }
}

// Searches one harness, problem by problem.
class HarnessTune {
 public:
  HarnessTune(const TuneOptions& options, const HarnessRequest& request,
              const ResolvedDevice& device, Console& console)
      : options_(options),
        request_(request),
        device_(device),
        console_(console),
        budget_(parse_budget(options.budget)),
        bar_(console),
        runner_(device, console.err, options.shared,
                {static_cast<uint64_t>(options.seed), parse_regime(options.regime)}),
        file_(options.output,
              {fingerprint(device.spec, false), false, parse_regime(options.regime)},
              options.overwrite) {
    artefact_.tool_version = kVersion;
    artefact_.device = fingerprint(device.spec, false);
    policy_.given = request.values;
    policy_.rounds = options.rounds;
    policy_.seed = static_cast<uint64_t>(options.seed);
    policy_.counters = options.counters && !is_host(device);
    if (!options.strategy.empty()) policy_.strategy = parse_strategy(options.strategy);
    policy_.is_spent = [this](int64_t measured) { return is_spent(budget_, begin_, measured); };
    open_store();
  }

  ExitCode run(const std::vector<Workload>& problems) {
    ExitCode code = ExitCode::Good;
    for (size_t i = 0; i < problems.size(); ++i) {
      bar_.subject(problems.size() == 1
                       ? short_name(problems[i])
                       : format("{} ({} of {})", short_name(problems[i]), i + 1, problems.size()));
      place_ = {.index = static_cast<int64_t>(i), .count = std::ssize(problems)};
      code = attempt(problems[i], code, console_, [&] { return tune_one(problems[i]); });
      if (code == ExitCode::Interrupted) break;
    }
    bar_.clear();
    finish();
    return runner_.report_disturbances(code);
  }

 private:
  Runner& asked() { return recorder_ ? *recorder_ : *runner_; }

  // A rebuilt harness gets a new session, so that it does not reuse the old build's answers.
  void open_store() {
    if (options_.store.empty()) return;
    const HarnessDescription described = describe_file(*runner_, request_.file);
    const std::string uuid =
        is_host(device_) ? "host" : device_.backend->device_uuid(device_.gpu_index);
    const std::string session = hash_text(format(
        "{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", kVersion, described.build, to_string(request_.values),
        options_.strategy, options_.rounds, options_.seed, options_.regime, versions()));
    RunLog log;
    if (options_.resume) {
      log = log_of(read_resumed_store(options_.store, console_), session, uuid);
      if (log.empty()) {
        console_.note(
            format("{} has no run of this harness with these options: everything is measured",
                   options_.store));
      }
    }
    store_.emplace(options_.store, RunHead{.run = new_run_name(),
                                           .device_uuid = uuid,
                                           .device = artefact_.device,
                                           .tool_version = kVersion,
                                           .environment = versions(),
                                           .session = session,
                                           .began = now()});
    recorder_.emplace(*runner_, std::move(log),
                      [this](const Record& record) { store_->append(record); });
    policy_.between_races = [this] { recorder_->between_races(); };
  }

  std::string versions() const {
    return is_host(device_) ? std::string() : device_.backend->versions();
  }

  ExitCode tune_one(const Workload& problem) {
    try {
      require_taken(problem);
      begin_ = std::chrono::steady_clock::now();
      policy_.ours = ours_for(problem);
      ForeignResult result = tune_foreign(problem, asked(), *harness_, policy_, bar_);
      keep(result);
      return ExitCode::Good;
    } catch (const Error& error) {
      const bool costs_one = error.code() == ExitCode::No ||
                             error.code() == ExitCode::WrongResult ||
                             error.code() == ExitCode::Interrupted;
      if (!costs_one) throw;
      bar_.clear();
      console_.note(error.what());
      return error.code();
    }
  }

  void require_taken(const Workload& problem) {
    if (!harness_) harness_ = describe_harness(*runner_, request_);
    const std::string why_not = why_not_taken(*harness_, problem);
    if (!why_not.empty()) throw Error(ExitCode::No, why_not);
  }

  // Our config for this problem, from --incumbent or from the file of -o.
  std::optional<TileConfig> ours_for(const Workload& problem) {
    if (is_host(device_)) return std::nullopt;
    if (!options_.incumbent.empty()) {
      return complete_config(parse_config(options_.incumbent), problem, device_.spec);
    }
    if (options_.output.empty() || options_.overwrite || !file_.is_replaceable() ||
        is_missing(options_.output)) {
      return std::nullopt;
    }
    const Artefact held = load_best(options_.output);
    const TuneEntry* const known = find_entry(held, problem);
    if (known == nullptr || known->problem != problem) return std::nullopt;
    return known->choice;
  }

  void keep(ForeignResult& result) {
    result.entry.date = today();
    result.entry.origin = {.tool_version = kVersion,
                           .software = software_of(versions()),
                           .method = asked().method(),
                           .rounds = result.rounds};
    artefact_.method = result.entry.origin.method;
    artefact_.rounds = std::max(artefact_.rounds, result.rounds);
    artefact_.foreign.push_back(result.entry);
    if (store_) store_->append_answer(result.entry, place_);
    if (file_.is_replaceable()) file_.save(artefact_);
    bar_.clear();
    if (options_.format == Format::Json) return;
    std::ostream& people = options_.output == "-" ? console_.err : console_.out;
    people << foreign_report(result, device_.spec, options_.top, table_width(console_)) << '\n'
           << std::flush;
  }

  void finish() {
    if (recorder_ && recorder_->replayed() > 0) {
      console_.note(format("{} launches came from the store, {} were timed", recorder_->replayed(),
                           recorder_->measured()));
    }
    if (options_.format == Format::Json) console_.out << tune_json(artefact_);
    if (options_.output.empty() || artefact_.foreign.empty()) return;
    if (!file_.is_replaceable()) file_.save(artefact_);
    console_.note(file_.take_notes());
    console_.note(file_.summary());
    if (options_.output != "-") console_.note(format("wrote {}", file_.path().string()));
  }

  const TuneOptions& options_;
  const HarnessRequest& request_;
  const ResolvedDevice& device_;
  Console& console_;
  Budget budget_;
  ProgressBar bar_;
  HarnessRunner runner_;
  AnswersFile file_;
  Artefact artefact_;
  ForeignPolicy policy_;
  std::optional<HarnessDescription> harness_;
  std::optional<RecordFile> store_;
  std::optional<Recorder> recorder_;
  ProblemPosition place_;                        // of the problem
  std::chrono::steady_clock::time_point begin_;  // when it began
};

}  // namespace

ExitCode tune_harness(const TuneOptions& options, const std::vector<Workload>& problems,
                      Console& console) {
  require_sound(options);
  const HarnessRequest request = parse_harness_request(options.harness);
  require_file(request);
  const ResolvedDevice device = resolve_harness_device(options.device);
  if (is_host(device) && !options.incumbent.empty()) {
    throw environment_error("--incumbent runs on a GPU, and --device is host: omit it");
  }
  if (!is_host(device)) {
    for (const Workload& problem : problems) require_memory(problem, device.spec);
  }
  return HarnessTune(options, request, device, console).run(problems);
}

}  // namespace tilewright
