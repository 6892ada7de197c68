// tilewright tune --harness: searches for the best parameters of a foreign kernel.

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/files.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "host/harness_files.hpp"
#include "render/progress_bar.hpp"
#include "render/table.hpp"
#include "request/job.hpp"
#include "search/complete.hpp"
#include "search/foreign_search.hpp"
#include "store/answers_file.hpp"
#include "store/measured_json.hpp"
#include "store/record_store.hpp"
#include "tile/config/config_keys.hpp"
#include "verbs/device_tuner.hpp"
#include "verbs/earlier_runs.hpp"
#include "verbs/tune_verb.hpp"

namespace tilewright {
namespace {

std::string mark_of(const ForeignRow& row, const ForeignEntry& entry) {
  if (row.values == entry.choice.values) return "choice";
  const bool tied = std::any_of(entry.ties.begin(), entry.ties.end(),
                                [&row](const ForeignTie& tie) { return tie.values == row.values; });
  return tied ? "tie" : "";
}

std::string verdict(const ForeignEntry& entry) {
  std::string text = format("best: {}\nwinner: {}\n", to_string(entry.choice), winner_text(entry));
  if (entry.reference) {
    text += format("{}x of {} ({} us)\n", ratio_text(entry.reference->ratio), entry.reference->name,
                   time_text(entry.reference->median_us));
  }
  if (entry.ours) {
    text += format("{}x of ours, {} ({} us)\n", ratio_text(entry.ours->ratio),
                   to_string(entry.ours->config), time_text(entry.ours->median_us));
  }
  if (entry.default_beside) {
    const DefaultBeside& beside = *entry.default_beside;
    text += format("{}x of the default, {} ({} us)\n", ratio_text(beside.ratio),
                   to_string(beside.values), time_text(beside.timing.median_us));
  }
  text += format("verified: relative error {:.1e}\n", entry.verified.rel_error);
  for (const ForeignFault& fault : entry.wrong) {
    text += format("skipped: {}: {}\n", to_string(fault.values), fault.reason);
  }
  return text;
}

// A headline, the `top` best rows, the chosen row, and the winner's ratios to the reference and to
// our kernel.
Report foreign_report(const ForeignResult& result, const DeviceSpec& device, int64_t top) {
  const ForeignEntry& entry = result.entry;
  const std::string head =
      format("{} on {}, harness {}: {} configs, {} measured, {} rounds\n", to_string(entry.problem),
             device.name, entry.choice.harness, entry.considered.enumerated,
             entry.considered.measured, result.rounds);
  std::vector<Column> columns = {{"problem", false, 0, ColumnOf::Csv}, {"#", true, 0}};
  for (const AxisValue& value : entry.choice.values) columns.push_back({value.axis, true, 2});
  for (Column& column : std::vector<Column>{{"median us", true, 0},
                                            {"95 %", true, 3, ColumnOf::Text},
                                            {"low us", true, 0, ColumnOf::Csv},
                                            {"high us", true, 0, ColumnOf::Csv},
                                            {"TFLOP/s", true, 1},
                                            {"ratio", true, 0},
                                            {"", false, 0, ColumnOf::Both, "mark"}}) {
    columns.push_back(std::move(column));
  }
  Table table(std::move(columns));
  for (size_t i = 0; i < result.rows.size(); ++i) {
    const ForeignRow& row = result.rows[i];
    const std::string mark = mark_of(row, entry);
    if (static_cast<int64_t>(i) >= top && mark != "choice") continue;
    std::vector<std::string> cells = {to_string(entry.problem), format("{}", i + 1)};
    for (const AxisValue& value : row.values) cells.push_back(format("{}", value.value));
    const Timing& timing = row.timing;
    for (const std::string& cell :
         {time_text(timing.median_us),
          format("{}..{}", time_text(timing.ci_us.low), time_text(timing.ci_us.high)),
          time_text(timing.ci_us.low), time_text(timing.ci_us.high),
          format("{:.3g}", timing.tflops), row.ratio ? format("{:.3f}", row.ratio->ratio) : "",
          mark}) {
      cells.push_back(cell);
    }
    table.add_row(std::move(cells));
  }
  return {.text = {head, table, verdict(entry) + "\n"}, .table = [table] { return table; }};
}

// Searches one harness, problem by problem.
class HarnessTune {
 public:
  HarnessTune(const TuneRequest& request, const ResolvedDevice& device, const ReportSink& show,
              Console& console)
      : request_(request),
        kernel_(*request.harness),
        device_(device),
        show_(show),
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
    policy_.is_spent = [this](int64_t measured) { return budget_.is_spent(begin_, measured); };
    open_store();
  }

  Report run(const std::vector<Workload>& problems) {
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
    return {.json = [artefact = artefact_] { return tune_json(artefact); },
            .code = runner_.report_disturbances(code)};
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
    show_(foreign_report(result, device_.spec, request_.top));
  }

  void finish() {
    if (recorder_ && recorder_->replayed() > 0) {
      console_.note(format("{} launches came from the store, {} were timed", recorder_->replayed(),
                           recorder_->measured()));
    }
    if (request_.output.empty() || artefact_.foreign.empty()) return;
    if (!file_.is_replaceable()) file_.save(artefact_);
    console_.note(file_.take_notes());
    console_.note(file_.summary());
    if (request_.output != "-") console_.note(format("wrote {}", file_.path().string()));
  }

  const TuneRequest& request_;
  const HarnessRequest& kernel_;
  const ResolvedDevice& device_;
  const ReportSink& show_;
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

Report tune_harness(const TuneRequest& request, const std::vector<Workload>& problems,
                    const ReportSink& show, Console& console) {
  const ResolvedDevice device = resolve_harness_device(request.device);
  if (is_host(device) && !request.incumbent.named.empty()) {
    throw environment_error("--incumbent runs on a GPU, and --device is host: omit it");
  }
  if (!is_host(device)) {
    for (const Workload& problem : problems) require_room(problem, device.spec);
  }
  return HarnessTune(request, device, show, console).run(problems);
}

}  // namespace tilewright
