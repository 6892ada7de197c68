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

void require_sound(const TuneRequest& request) {
  const std::pair<bool, const char*> left_out[] = {
      {!request.config.named.empty(), "--config"},
      {request.require != Requirement{}, "--require"},
      {request.rank.source.starts_with("--rank"), "--rank"},
      {!request.replay.empty(), "--replay"},
      {request.objective != Objective::Time, "--objective"},
      {request.dry_run, "--dry-run"}};
  for (const auto& [is_given, name] : left_out) {
    if (is_given) throw usage_error(format("tune --harness takes no {}: omit it", name));
  }
}

// Searches one harness, problem by problem.
class HarnessTune {
 public:
  HarnessTune(const TuneRequest& request, const ResolvedDevice& device, Console& console)
      : request_(request),
        kernel_(*request.harness),
        device_(device),
        console_(console),
        budget_(request.budget),
        bar_(console),
        runner_(device, console.err, request.shared, {request.seed, request.regime}),
        file_(request.output, {fingerprint(device.spec, false), false, request.regime},
              request.overwrite) {
    artefact_.tool_version = kVersion;
    artefact_.device = fingerprint(device.spec, false);
    policy_.given = kernel_.values;
    policy_.rounds = request.rounds;
    policy_.seed = request.seed;
    policy_.counters = request.counters && !is_host(device);
    if (request.strategy) policy_.strategy = *request.strategy;
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
    if (request_.store.empty()) return;
    const HarnessDescription described = describe_file(*runner_, kernel_.file);
    const std::string uuid =
        is_host(device_) ? "host" : device_.backend->device_uuid(device_.gpu_index);
    const std::string session = hash_text(
        format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", kVersion, described.build,
               to_string(kernel_.values), strategy_name(request_), request_.rounds, request_.seed,
               kRegimes[static_cast<size_t>(request_.regime)], versions()));
    RunLog log;
    if (request_.resume) {
      log = log_of(read_resumed_store(request_.store, console_), session, uuid);
      if (log.empty()) {
        console_.note(
            format("{} has no run of this harness with these options: everything is measured",
                   request_.store));
      }
    }
    store_.emplace(request_.store, RunHead{.run = new_run_name(),
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
    if (!harness_) harness_ = describe_harness(*runner_, kernel_);
    const std::string why_not = why_not_taken(*harness_, problem);
    if (!why_not.empty()) throw Error(ExitCode::No, why_not);
  }

  // Our config for this problem, from --incumbent or from the file of -o.
  std::optional<TileConfig> ours_for(const Workload& problem) {
    if (is_host(device_)) return std::nullopt;
    if (!request_.incumbent.named.empty()) {
      return complete_config(request_.incumbent, problem, device_.spec);
    }
    if (request_.output.empty() || request_.overwrite || !file_.is_replaceable() ||
        is_missing(request_.output)) {
      return std::nullopt;
    }
    const Artefact held = load_best(request_.output);
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
    if (request_.format == Format::Json) return;
    std::ostream& people = request_.output == "-" ? console_.err : console_.out;
    people << foreign_report(result, device_.spec, request_.top, table_width(console_)) << '\n'
           << std::flush;
  }

  void finish() {
    if (recorder_ && recorder_->replayed() > 0) {
      console_.note(format("{} launches came from the store, {} were timed", recorder_->replayed(),
                           recorder_->measured()));
    }
    if (request_.format == Format::Json) console_.out << tune_json(artefact_);
    if (request_.output.empty() || artefact_.foreign.empty()) return;
    if (!file_.is_replaceable()) file_.save(artefact_);
    console_.note(file_.take_notes());
    console_.note(file_.summary());
    if (request_.output != "-") console_.note(format("wrote {}", file_.path().string()));
  }

  const TuneRequest& request_;
  const HarnessRequest& kernel_;
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

ExitCode tune_harness(const TuneRequest& request, const std::vector<Workload>& problems,
                      Console& console) {
  require_sound(request);
  require_file(*request.harness);
  const ResolvedDevice device = resolve_harness_device(request.device);
  if (is_host(device) && !request.incumbent.named.empty()) {
    throw environment_error("--incumbent runs on a GPU, and --device is host: omit it");
  }
  if (!is_host(device)) {
    for (const Workload& problem : problems) require_memory(problem, device.spec);
  }
  return HarnessTune(request, device, console).run(problems);
}

}  // namespace tilewright
