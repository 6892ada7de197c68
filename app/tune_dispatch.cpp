// tilewright tune --dispatch: which tuned winner answers in which range of sizes.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"
#include "job.hpp"
#include "progress_bar.hpp"
#include "store/dispatch.hpp"
#include "store/measured_json.hpp"
#include "store/record_store.hpp"
#include "table.hpp"
#include "tune_lane.hpp"
#include "verbs.hpp"

namespace tilewright {
namespace {

// Options of a search, which this is none.
void require_no_search(const TuneOptions& options, const Rank& rank) {
  const std::pair<const char*, bool> others[] = {{"--config", !options.config.empty()},
                                                 {"--incumbent", !options.incumbent.empty()},
                                                 {"--strategy", !options.strategy.empty()},
                                                 {"--budget", !options.budget.empty()},
                                                 {"--require", !options.require.empty()},
                                                 {"--objective", options.objective != "time"},
                                                 {"--dry-run", options.dry_run},
                                                 {"--device all", options.device == "all"}};
  for (const auto& [name, is_given] : others) {
    if (is_given) throw usage_error(format("--dispatch searches nothing: leave {} out", name));
  }
  if (rank.size > 1) throw usage_error("--dispatch is for one process: start it without ranks");
}

// Whose winner somebody asks for at sizes that are its own has nothing to try there.
std::vector<Workload> products_of(const TuneOptions& options, const Artefact& artefact,
                                  Console& console) {
  if (options.problems.empty()) {
    std::vector<Workload> products = products_between(artefact);
    if (products.empty()) {
      throw usage_error(
          format("{}: no two tuned products differ in one size alone: name those to try",
                 options.dispatch));
    }
    return products;
  }
  std::vector<Workload> products;
  for (const Workload& problem : read_runnable(options.problems, options.kind)) {
    if (!is_product(problem)) {
      throw usage_error(format("{}: --dispatch is for single products", to_string(problem)));
    }
    if (find_entry(artefact, problem) != nullptr) {
      console.err << format("{} is tuned in {}: left out\n", to_string(problem), options.dispatch);
    } else {
      products.push_back(problem);
    }
  }
  return products;
}

// Times of two runs are not compared: of each product the run that has most of what is planned.
class ReplayedTrials {
 public:
  ReplayedTrials(const TuneOptions& options, const Artefact& artefact, Console& console)
      : source_(options.replay) {
    const RecordStore store = parse_records(read_file(source_, kMostStoreBytes), source_);
    if (store.unread > 0) console.err << unread_lines(store, source_);
    for (const StoredRun& run : store.runs) {
      if (!same_architecture(run.head.device, artefact.device)) continue;
      RunLog log;
      add_to(log, run.records);
      std::erase_if(log, [&artefact](const auto& one) {
        const std::optional<MeasuringMethod>& method = one.second.method;
        return method && regime_of(*method) != regime_of(artefact.method);
      });
      logs_.push_back(std::move(log));
    }
  }

  Trial operator()(const TrialPlan& plan, const DeviceSpec& device) const {
    Trial best;
    for (const RunLog& log : logs_) {
      const auto known = log.find(full_text(plan.problem));
      if (known == log.end()) continue;
      Trial trial = recorded_trial(plan, known->second, device);
      if (trial.times.size() > best.times.size()) best = std::move(trial);
    }
    if (best.times.empty()) {
      throw usage_error(format("{} has no times of the predicted config of {}", source_,
                               to_string(plan.problem)));
    }
    return best;
  }

 private:
  std::string source_;
  std::vector<RunLog> logs_;
};

std::string range_text(const SizeRange& range) {
  return range.high == range.low + 1 ? format("{}", range.low)
                                     : format("{} to {}", range.low, range.high - 1);
}

std::string percent(double regret) {
  return format("{:.1f} %", 100 * regret);
}

std::string buckets_report(const Artefact& artefact, int width) {
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
  return table.render(width) +
         "worst: time over that of the fastest in the same rounds, less 1, of the shapes measured "
         "inside;\nheld out: the same if ranges that were made without it answer each of them\n";
}

// The trials of a run, one after the other; the artefact is written as it grows.
class DispatchRun {
 public:
  DispatchRun(const TuneOptions& options, Artefact artefact, const DeviceSpec& device,
              Console& console)
      : options_(options), artefact_(std::move(artefact)), device_(device), console_(console) {}

  const Artefact& artefact() const { return artefact_; }

  // `ask` makes a trial of a plan.
  template <typename Ask>
  ExitCode run(const std::vector<Workload>& products, ProgressBar& bar, const Ask& ask) {
    for (size_t i = 0; i < products.size(); ++i) {
      try {
        throw_if_interrupted();
        bar.subject(format("{} ({} of {})", short_name(products[i]), i + 1, products.size()));
        add(ask(plan_trial(artefact_, products[i], device_)), bar);
      } catch (const Error& error) {
        bar.clear();
        if (error.code() != ExitCode::Interrupted) throw;
        console_.err << format("interrupted: {} of {} products are measured\n", i, products.size());
        return ExitCode::Interrupted;
      }
    }
    bar.clear();
    return ExitCode::Good;
  }

 private:
  void add(Trial trial, ProgressBar& bar) {
    if (trial.times.empty()) {
      bar.clear();
      console_.err << format("{}: the predicted config did not run; left out\n",
                             to_string(trial.problem));
      return;
    }
    trial.date = today();
    add_trials(artefact_, {trial});
    if (!options_.output.empty() && is_replaceable(options_.output)) {
      write_file(options_.output, print_best(artefact_));
    }
  }

  const TuneOptions& options_;
  Artefact artefact_;
  const DeviceSpec& device_;
  Console& console_;
};

void require_its_device(const Artefact& artefact, const ResolvedDevice& device,
                        const TuneOptions& options) {
  if (device.gpu_index < 0) {
    throw environment_error(format(
        "--dispatch measures, and device {} is a preset; --replay STORE takes a store's times",
        device.spec.name));
  }
  const Regime regime = parse_regime(options.regime);
  if (regime != regime_of(artefact.method)) {
    throw usage_error(format("{} was tuned with --regime {}: give that", options.dispatch,
                             kRegimes[static_cast<size_t>(regime_of(artefact.method))]));
  }
  const DeviceFingerprint here = fingerprint(device.spec, false);
  if (same_architecture(here, artefact.device)) return;
  throw environment_error(format("{} is of {}, this is {}", options.dispatch,
                                 to_string(artefact.device), to_string(here)));
}

std::optional<RecordStore> earlier_of(const TuneOptions& options, Console& console) {
  if (!options.resume) return std::nullopt;
  RecordStore store = parse_records(read_file(options.store, kMostStoreBytes), options.store);
  if (store.unread > 0) console.err << unread_lines(store, options.store);
  return store;
}

}  // namespace

ExitCode tune_dispatch(const TuneOptions& options, const Rank& rank, Console& console,
                       const BackendLoader& load) {
  require_no_search(options, rank);
  if (!options.output.empty()) require_writable(options.output);
  const Artefact artefact = load_best(options.dispatch);
  const std::vector<Workload> products = products_of(options, artefact, console);
  ProgressBar bar(console);
  ExitCode code = ExitCode::Good;
  const auto finish = [&](const DispatchRun& run) {
    if (!options.output.empty()) write_file(options.output, print_best(run.artefact()));
    if (options.format == Format::Json) {
      console.out << tune_json(run.artefact());
    } else if (options.output != "-") {
      console.out << buckets_report(run.artefact(), table_width(console));
    }
    return code;
  };
  if (!options.replay.empty()) {
    const std::optional<DeviceSpec> device = device_of(artefact);
    if (!device) {
      throw environment_error(format("{} is of {}, of which there is no preset", options.dispatch,
                                     to_string(artefact.device)));
    }
    const ReplayedTrials replayed(options, artefact, console);
    DispatchRun run(options, artefact, *device, console);
    code = run.run(products, bar, [&](const TrialPlan& plan) { return replayed(plan, *device); });
    return finish(run);
  }
  const ResolvedDevice device = resolve_device(options.device, load);
  require_its_device(artefact, device, options);
  for (const Workload& product : products) require_memory(product, device.spec);
  const std::optional<RecordStore> earlier = earlier_of(options, console);
  TunePolicy policy;
  policy.rounds = options.rounds;
  policy.seed = static_cast<uint64_t>(options.seed);
  TuneLane lane(options, device, policy, earlier ? &*earlier : nullptr, console.err);
  console.err << lane.first_words() << '\n';
  DispatchRun run(options, artefact, device.spec, console);
  code = run.run(products, bar, [&](const TrialPlan& plan) { return lane.try_out(plan, bar); });
  code = lane.look_back(code);
  return finish(run);
}

}  // namespace tilewright
