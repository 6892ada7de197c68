// tilewright tune --dispatch: measures which tuned winner is best in which range of sizes.

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"
#include "render/progress_bar.hpp"
#include "render/table.hpp"
#include "request/job.hpp"
#include "store/answers_file.hpp"
#include "store/dispatch.hpp"
#include "store/measured_json.hpp"
#include "store/record_store.hpp"
#include "verbs/tune_verb.hpp"
#include "verbs/tuned_file.hpp"
#include "verbs/tuner_pool.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

// The products to try. One that was tuned itself has nothing to try and is left out.
std::vector<Workload> products_of(const TuneRequest& request, const Artefact& artefact,
                                  Console& console) {
  if (request.problems.empty()) {
    std::vector<Workload> products = intermediate_products(artefact);
    if (products.empty()) {
      throw usage_error(
          format("{}: no two tuned products differ in one size only: name the PROBLEMs to time",
                 request.dispatch));
    }
    return products;
  }
  std::vector<Workload> products;
  for (const Workload& problem : request.problems) {
    if (!is_product(problem)) {
      throw usage_error(format("{}: --dispatch takes single products only", to_string(problem)));
    }
    if (find_entry(artefact, problem) != nullptr) {
      console.note(format("{} is tuned in {}: skipped", to_string(problem), request.dispatch));
    } else {
      products.push_back(problem);
    }
  }
  return products;
}

// Takes each product's times from the run that has most of the planned ones; times of different
// runs are not comparable.
class ReplayedTrials {
 public:
  ReplayedTrials(const TuneRequest& request, const Artefact& artefact, Console& console)
      : source_(request.replay) {
    const RecordStore store = parse_records(read_file(source_, kMaxStoreBytes), source_);
    console.note(reading_notes(store, source_));
    for (const StoredRun& run : store.runs) {
      if (!same_architecture(run.head.device, artefact.device)) continue;
      RunLog log;
      add_to(log, run.records);
      std::erase_if(log, [&artefact](const auto& one) {
        const std::optional<MeasuringMethod>& method = one.second.method;
        return method && regime_of(*method) != regime_of(artefact.method);
      });
      runs_.push_back({.origin = {.tool_version = run.head.tool_version,
                                  .software = software_of(run.head.environment),
                                  .method = {}},
                       .log = std::move(log)});
    }
  }

  Trial operator()(const TrialPlan& plan, const DeviceSpec& device) const {
    Trial best;
    for (const Run& run : runs_) {
      const auto known = run.log.find(full_text(plan.problem));
      if (known == run.log.end()) continue;
      Trial trial = recorded_trial(plan, known->second, device);
      trial.origin = run.origin;
      trial.origin->method = known->second.method.value_or(MeasuringMethod{});
      if (trial.times.size() > best.times.size()) best = std::move(trial);
    }
    if (best.times.empty()) {
      throw usage_error(format("{} has no times of the predicted config of {}", source_,
                               to_string(plan.problem)));
    }
    return best;
  }

 private:
  struct Run {
    Origin origin;
    RunLog log;
  };

  std::string source_;
  std::vector<Run> runs_;
};

std::string range_text(const SizeRange& range) {
  return range.high == range.low + 1 ? format("{}", range.low)
                                     : format("{} to {}", range.low, range.high - 1);
}

std::string percent(double regret) {
  return format("{:.1f} %", 100 * regret);
}

std::vector<TextPart> buckets_text(const Artefact& artefact) {
  Table table({{"m", true, 0},
               {"n", true, 0},
               {"k", true, 0},
               {"kind", false, 2},
               {"winner of", false, 0},
               {"worst", true, 0},
               {"held out", true, 1},
               {"shapes", true, 0}});
  for (const Bucket& bucket : artefact.buckets) {
    Workload kind = bucket.kind;
    kind.shapes = {{1, 1, 1}};
    const std::string text = to_string(kind);
    table.add_row(
        {range_text(bucket.m), range_text(bucket.n), range_text(bucket.k),
         text.substr(text.find(' ') + 1), bucket.by_model ? "(the model)" : to_string(bucket.from),
         percent(bucket.worst_regret), percent(bucket.held_out), format("{}", bucket.trials)});
  }
  return {
      table,
      "worst: time divided by that of the fastest config in the same rounds, minus 1, over the "
      "shapes measured in the range;\nheld out: the same with ranges that were made without the "
      "shape in question\n"};
}

// Collects a run's trials, and saves the artefact after each.
class GrowingDispatch {
 public:
  /// Throws before anything is measured if the output holds answers of another kind.
  GrowingDispatch(const TuneRequest& request, const Artefact& artefact, Console& console)
      : request_(request),
        artefact_(artefact),
        console_(console),
        file_(request.output,
              {.device = artefact.device, .predicted = false, .regime = regime_of(artefact.method)},
              request.overwrite) {}

  // Keeps the trials in the order of the products, whichever finished first.
  void add(size_t index, Trial trial) {
    if (trial.times.empty()) {
      console_.note(
          format("{}: the predicted config did not run; skipped", to_string(trial.problem)));
      return;
    }
    trial.date = today();
    trials_[index] = std::move(trial);
    if (file_.is_replaceable()) save();
  }

  Report finish(ExitCode code, size_t products) {
    if (code == ExitCode::Interrupted) {
      console_.note(
          format("interrupted: {} of {} products were measured", trials_.size(), products));
    }
    const Artefact done = grown(artefact_);
    if (!request_.output.empty()) save();
    Report report{.json = [done] { return tune_json(done); }, .code = code};
    if (request_.output != "-") report.text = buckets_text(done);
    return report;
  }

 private:
  Artefact grown(Artefact artefact) const {
    std::vector<Trial> trials;
    trials.reserve(trials_.size());
    for (const auto& [index, trial] : trials_) trials.push_back(trial);
    if (!trials.empty()) add_trials(artefact, trials);
    return artefact;
  }

  // If the output is the file with the winners, only trials are added, so that answers that other
  // processes write there meanwhile stay.
  void save() {
    std::error_code unknown;
    const bool is_same = !request_.overwrite &&
                         std::filesystem::equivalent(request_.output, request_.dispatch, unknown);
    Artefact winners = artefact_;
    if (is_same) {
      winners.entries.clear();
      winners.trials.clear();
      winners.buckets.clear();
    }
    file_.save(grown(std::move(winners)));
    console_.note(file_.take_notes());
  }

  const TuneRequest& request_;
  const Artefact& artefact_;  // before the run
  Console& console_;
  AnswersFile file_;                // request.output
  std::map<size_t, Trial> trials_;  // by index
};

void require_its_device(const Artefact& artefact, const ResolvedDevice& device,
                        const TuneRequest& request) {
  if (device.gpu_index < 0) {
    throw environment_error(format(
        "--dispatch measures, and device {} is a preset: --replay STORE takes the times of a store",
        device.spec.name));
  }
  require_device_of(artefact, request.dispatch, device, request);
}

RecordStore earlier_of(const TuneRequest& request, Console& console) {
  if (!request.resume) return {};
  RecordStore store = parse_records(read_file(request.store, kMaxStoreBytes), request.store);
  console.note(reading_notes(store, request.store));
  return store;
}

// The trials out of a store.
ExitCode replay(const TuneRequest& request, const Artefact& artefact,
                const std::vector<Workload>& products, GrowingDispatch& grown, Console& console) {
  const std::optional<DeviceSpec> device = device_of(artefact);
  if (!device) {
    throw environment_error(
        format("{} was made on {}, and no preset describes that device: add a device file to "
               "presets/devices",
               request.dispatch, to_string(artefact.device)));
  }
  const ReplayedTrials replayed(request, artefact, console);
  ExitCode code = ExitCode::Good;
  for (size_t i = 0; i < products.size(); ++i) {
    throw_if_interrupted();
    code = attempt(products[i], code, console, [&] {
      grown.add(i, replayed(plan_trial(artefact, products[i], *device), *device));
      return ExitCode::Good;
    });
  }
  return code;
}

}  // namespace

Report tune_dispatch(const TuneRequest& request, Console& console, const BackendLoader& load) {
  const Artefact artefact = load_best(request.dispatch);
  const std::vector<Workload> products = products_of(request, artefact, console);
  GrowingDispatch grown(request, artefact, console);
  if (!request.replay.empty()) {
    const ExitCode code = replay(request, artefact, products, grown, console);
    return grown.finish(code, products.size());
  }
  const std::vector<ResolvedDevice> devices = resolve_devices(request.device, request.rank, load);
  const ResolvedDevice& first = devices.front();
  require_its_device(artefact, first, request);
  explain_rates(first.spec, console);
  for (const Workload& product : products) require_room(product, first.spec);
  TunePolicy policy;
  policy.rounds = request.rounds;
  policy.seed = request.seed;
  ProgressBar bar(console);
  TunerPool pool(request, devices, policy, earlier_of(request, console), console, bar);
  std::vector<TunerPool::Task> tasks;
  for (const Workload& product : products) {
    const auto knows = [&product](const DeviceTuner& tuner) { return tuner.knows(product); };
    tasks.push_back({tasks.size(), product, pool.find(knows)});
  }
  pool.enqueue(std::move(tasks), products.size());
  pool.run([&](DeviceTuner& tuner, const TunerPool::Task& task, ProgressListener& progress) {
    Trial trial = tuner.try_out(plan_trial(artefact, task.problem, first.spec), progress);
    const auto held = pool.lock();
    grown.add(task.index, std::move(trial));
  });
  return grown.finish(pool.report_disturbances(), products.size());
}

}  // namespace tilewright
