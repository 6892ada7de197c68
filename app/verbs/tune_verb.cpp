// tilewright tune: enumerate, predict, run, verify, choose.
#include "verbs/tune_verb.hpp"

#include <algorithm>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "render/progress_bar.hpp"
#include "render/tune_table.hpp"
#include "request/job.hpp"
#include "search/look_ahead.hpp"
#include "search/tuner.hpp"
#include "store/measured_json.hpp"
#include "tile/workload/device_spec.hpp"
#include "verbs/device_tuner.hpp"
#include "verbs/earlier_runs.hpp"
#include "verbs/tune_answers.hpp"
#include "verbs/tuner_pool.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

Report dry_run(const TuneRequest& request, const std::vector<Workload>& problems,
               const DeviceSpec& device, const ReportSink& show, Console& console) {
  const std::vector<SearchSpace> spaces = policy_of(request).spaces;
  std::vector<DryRun> runs;
  ExitCode code = ExitCode::Good;
  for (const Workload& problem : problems) {
    code = attempt(problem, code, console, [&] {
      const Enumeration found = enumerate_required(request.require, problem, spaces, device);
      runs.push_back({problem, found.enumerated, found.legal, found.rejected});
      show(dry_run_report(problem, found));
      return found.legal == 0 ? ExitCode::No : ExitCode::Good;
    });
  }
  return {.json = [runs, device] { return dry_run_json(runs, device); }, .code = code};
}

void require_measurable(const TuneRequest& request, const ResolvedDevice& device) {
  require_regime(request.regime, device);
  if (device.gpu_index >= 0) return;
  // With "auto" and no GPU, answers without measurements are fine.
  if (device.why_no_gpu.empty()) {
    require_search(request, format("device {} is a preset, and nothing runs", device.spec.name));
  }
  if (request.objective != Objective::Time) {
    throw environment_error(
        format("--objective {} needs measured energy, and device {} is a preset: name cuda:N",
               kObjectives[static_cast<size_t>(request.objective)], device.spec.name));
  }
  if (!request.store.empty()) {
    throw environment_error(
        format("--store holds measurements, and device {} is a preset: omit it or name cuda:N",
               device.spec.name));
  }
}

// Prepares rankings and builds for waiting problems while other problems run on the devices, at
// most one per task. The threads of several devices may call this.
class PreparedRankings {
 public:
  // For the tasks of all tuners: their devices are of the same model as `device`. For a preset it
  // prepares nothing.
  PreparedRankings(TunerPool& pool, const TunePolicy& policy, const ResolvedDevice& device)
      : pool_(pool), policy_(policy), device_(device) {}

  // Begins the next task of the pool, if there is one, and returns at once.
  void begin_next() {
    if (device_.gpu_index < 0) return;
    const std::optional<TunerPool::Task> task = pool_.upcoming();
    if (!task) return;
    const std::lock_guard held(mutex_);
    rankings_[task->index] =
        look_ahead(task->problem, policy_, device_.spec, device_.backend->open_compiler());
  }

  // The ranking for the task with this index, if it was begun; waits for it. Throws as
  // look_ahead()'s future does.
  std::optional<Ranking> take(size_t index) {
    std::future<Ranking> ranking;
    {
      const std::lock_guard held(mutex_);
      const auto begun = rankings_.find(index);
      if (begun == rankings_.end()) return std::nullopt;
      ranking = std::move(begun->second);
      rankings_.erase(begun);
    }
    return ranking.get();
  }

 private:
  TunerPool& pool_;
  const TunePolicy& policy_;
  const ResolvedDevice& device_;
  std::mutex mutex_;                                 // protects `rankings_`
  std::map<size_t, std::future<Ranking>> rankings_;  // by index
};

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
  TuneRun(const TuneRequest& request, const TuneShare& share,
          const std::vector<ResolvedDevice>& devices, const ReportSink& show, Console& console)
      : share_(share),
        device_(devices.front().spec),
        top_(request.top),
        show_(show),
        console_(console),
        bar_(console),
        answers_(request, devices.front(), console),
        earlier_(request.resume ? read_earlier_runs(request, share, devices.front(), console)
                                : EarlierRuns{}),
        policy_(policy_of(request)),
        pool_(request, devices, policy_, std::exchange(earlier_.runs, {}), console, bar_),
        prepared_(pool_, policy_, devices.front()) {}

  Report run() {
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
    return summary(code);
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
    if (const std::string& why = result.entry.why_no_counters;
        !why.empty() && !noted_no_counters_) {
      console_.note(format("no hardware counters: {}", why));
      noted_no_counters_ = true;
    }
    answers_.save_early();
    show_(tune_report(result, device_, top_));
  }

  Report summary(ExitCode code) {
    const Artefact& artefact = answers_.artefact();
    Report report{.json = [artefact] { return tune_json(artefact); }, .code = code};
    const std::vector<TuneEntry>& entries = artefact.entries;
    if (answers_.size() > 1) report.text = tune_summary(entries);
    const bool is_predicted = std::any_of(
        entries.begin(), entries.end(),
        [](const TuneEntry& entry) { return !entry.timing && entry.predicted.is_time; });
    if (is_predicted) report.text.emplace_back(certainty());
    return report;
  }

  const TuneShare& share_;
  const DeviceSpec& device_;
  int64_t top_;  // rows of a table
  const ReportSink& show_;
  Console& console_;
  ProgressBar bar_;
  TuneAnswers answers_;
  EarlierRuns earlier_;
  TunePolicy policy_;
  TunerPool pool_;
  PreparedRankings prepared_;
  bool noted_no_counters_ = false;
};

// Ranks that measure write a store even without --store, because otherwise their results could not
// be merged.
std::string store_of_all(const TuneRequest& request, bool measures) {
  return request.store.empty() && measures && request.rank.size > 1 ? "tune.jsonl" : request.store;
}

}  // namespace

TuneAgenda agenda_of(const TuneShare& share, const std::map<std::string, EarlierAnswer>& answers,
                     const TunerPool& pool) {
  TuneAgenda agenda;
  for (const size_t index : share.indices) {
    const Workload& problem = share.problems[index];
    const auto answer = answers.find(full_text(problem));
    if (answer != answers.end()) {
      agenda.kept.emplace(index, answer->second);
    } else {
      const auto knows = [&problem](const DeviceTuner& one) { return one.knows(problem); };
      agenda.tasks.push_back({index, problem, pool.find(knows)});
    }
  }
  return agenda;
}

Report tune_problems(const TuneRequest& request, const TuneShare& share,
                     const std::vector<ResolvedDevice>& devices, const ReportSink& show,
                     Console& console) {
  const ResolvedDevice& first = devices.front();
  const std::vector<Workload> problems = grouped_problems(share);
  for (const Workload& problem : problems) require_room(problem, first.spec);
  if (!request.dry_run) require_measurable(request, first);
  explain_device(first, console);
  if (request.dry_run) return dry_run(request, problems, first.spec, show, console);
  return TuneRun(request, share, devices, show, console).run();
}

Report run_tune(const TuneRequest& request, const ReportSink& show, Console& console,
                const BackendLoader& load) {
  const Rank& rank = request.rank;
  if (!request.dispatch.empty()) return tune_dispatch(request, console, load);
  if (!request.pin_library.empty()) return pin_library(request, console, load);
  const std::vector<Workload>& problems = request.problems;
  if (request.repeated > 0) {
    console.note(format("{} of {} problems are repetitions: each is tuned once", request.repeated,
                        problems.size() + request.repeated));
  }
  if (request.harness) return tune_harness(request, problems, show, console);
  const std::vector<ResolvedDevice> devices = resolve_devices(request.device, rank, load);
  if (!request.replay.empty())
    return replay_tune(request, problems, devices.front(), show, console);
  const std::string store = store_of_all(request, devices.front().gpu_index >= 0);
  TuneRequest of_rank = request;
  of_rank.store = file_of_rank(store, rank);
  of_rank.output = file_of_rank(request.output, rank);
  TuneShare share{.problems = problems, .indices = request.indices, .rank = rank};
  if (request.resume && !store.empty()) share.stores = stores_of_others(store, of_rank.store);
  if (rank.size > 1) {
    console.note(format("rank {} of {} ({}): {} of {} problems{}", rank.rank, rank.size,
                        rank.source, share.indices.size(), problems.size(),
                        of_rank.store.empty() ? "" : format(", records in {}", of_rank.store)));
    if (share.indices.empty()) return {};
  }
  return tune_problems(of_rank, share, devices, show, console);
}

}  // namespace tilewright
