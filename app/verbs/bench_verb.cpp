// tilewright bench: compares named configs; no search.
#include "verbs/bench_verb.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "host/harness_files.hpp"
#include "render/bench_table.hpp"
#include "render/progress_bar.hpp"
#include "request/job.hpp"
#include "search/bench.hpp"
#include "search/complete.hpp"
#include "store/best_table.hpp"
#include "tile/plan/legality.hpp"
#include "verbs/sweep.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {

namespace {

std::vector<BenchConfig> complete_all(const BenchRequest& request, const Workload& workload,
                                      const DeviceSpec& device) {
  std::vector<BenchConfig> configs;
  for (const NamedConfig& named : request.configs) {
    configs.push_back({named.text, complete_config(named.request, workload, device)});
  }
  return configs;
}

// The names of a sweep's numbers: each config's time, and its ratio to the first config's.
struct SweepNames {
  SweepNames(size_t configs, bool predicted) {
    for (size_t i = 1; i <= configs; ++i) {
      us.push_back(format("{}.{}_us", i, predicted ? "predicted" : "median"));
      over_first.push_back(format("{}.over_first", i));
    }
  }
  std::vector<std::string> us;
  std::vector<std::string> over_first;
};

std::vector<NamedNumber> sweep_numbers(const BenchResult& result, const SweepNames& names,
                                       bool predicted) {
  std::vector<NamedNumber> numbers;
  double first_us = 0;
  for (size_t i = 0; i < result.rows.size(); ++i) {
    const BenchRow& row = result.rows[i];
    if (row.wrong) {
      throw Error(ExitCode::WrongResult, format("{}: {}: {}", to_string(result.workload),
                                                to_string(row.effective), row.why_not));
    }
    if (!predicted && !row.timing) continue;
    const double us = predicted ? row.predicted.us : row.timing->median_us;
    numbers.push_back({names.us[i], us});
    if (i == 0) first_us = us;
    if (first_us > 0) numbers.push_back({names.over_first[i], us / first_us});
  }
  return numbers;
}

std::string sweep_words(const BenchRequest& request, const std::string& device, bool predicted) {
  std::string words = format("{}, {} {}", request.sweep->words,
                             predicted ? "predicted for" : "measured on", device);
  for (size_t i = 0; i < request.configs.size(); ++i) {
    words += format("; {}: {}", i + 1, request.configs[i].text);
  }
  return words;
}

// The default numbers: the first config's time, and the ratios of the others to it.
std::string sweep_metric(const SweepNames& names) {
  std::vector<std::string> metrics = names.over_first;
  metrics.front() = names.us.front();
  return join(metrics, ",");
}

// A picture shows the times of all configs in one chart, and their ratios in another.
ChartPlace place_of(const std::string& metric, const BenchRequest& request, bool predicted) {
  const size_t dot = metric.find('.');
  const std::optional<int64_t> number = parse_count(std::string_view(metric).substr(0, dot));
  if (!number || *number < 1 || *number > static_cast<int64_t>(request.configs.size())) return {};
  const size_t index = static_cast<size_t>(*number) - 1;
  const bool share = std::string_view(metric).substr(dot + 1) == "over_first";
  return {share       ? "time divided by the time of config 1"
          : predicted ? "predicted time, us"
                      : "measured time (median), us",
          request.configs[index].text, index};
}

BenchConfig config_for(const BenchRequest& request, const Artefact* artefact,
                       const Workload& workload, const DeviceSpec& device) {
  const TuneEntry* const entry = artefact ? find_entry(*artefact, workload) : nullptr;
  if (entry != nullptr && entry->problem == workload) return {"tuned", entry->choice};
  if (entry != nullptr && !reject_workload(workload, entry->choice, device)) {
    return {format("tuned for {}", to_string(entry->problem)), entry->choice};
  }
  if (request.configs.empty()) return {"predicted best", complete_config({}, workload, device)};
  const NamedConfig& named = request.configs.front();
  return {named.text, complete_config(named.request, workload, device)};
}

// One line on `err` about the problems that the artefact lacks.
void explain_missing(const BenchRequest& request, const Artefact& artefact, Console& console) {
  const std::vector<Workload>& workloads = request.workloads;
  const auto missing = std::count_if(workloads.begin(), workloads.end(), [&](const Workload& w) {
    return find_entry(artefact, w) == nullptr;
  });
  if (missing == 0) return;
  console.note(format("{} of {} problem{} not in {}: {}", missing, workloads.size(),
                      workloads.size() == 1 ? " is" : "s are", request.from,
                      request.configs.empty() ? "the model chooses their configs"
                                              : "their configs are those of --config"));
}

ExitCode code_of(const SuiteBench& suite) {
  ExitCode code = ExitCode::Good;
  if (suite.predicted) return code;
  for (const BenchResult& result : suite.results) {
    for (const BenchRow& row : result.rows) {
      if (row.wrong) return ExitCode::WrongResult;
      if (!row.timing) code = std::max(code, ExitCode::No);
      if (!row.why_no_counters.empty()) code = ExitCode::Environment;
    }
  }
  return code;
}

// A harness that has no description, or does not take the workload, loses only its own row.
BenchConfig config_for(Runner& runner, const HarnessRequest& request, const Workload& workload) {
  BenchConfig config{.requested = request.text};
  std::optional<HarnessDescription> harness;
  try {
    harness = describe_harness(runner, request);
    config.why_not = why_not_taken(*harness, workload);
  } catch (const Error& error) {
    if (error.code() != ExitCode::Usage) throw;
    config.why_not = error.what();
  }
  if (!config.why_not.empty()) {
    config.foreign = ForeignConfig{.harness = request.file, .file = request.file, .build = {}};
    return config;
  }
  config.foreign = first_legal(*harness, workload, request.values);
  return config;
}

// Throws a usage error where the device has too few multiprocessors for --beside and a product, and
// an environment error where nothing runs.
void require_beside(const BenchRequest& request, const ResolvedDevice& device) {
  const Beside& beside = *request.policy.beside;
  for (const Workload& workload : request.workloads) beside_of(beside, workload, device.spec);
  if (device.gpu_index >= 0) return;
  throw environment_error(
      format("--beside {} needs a GPU, and device {} is a preset: name cuda:N or omit --beside",
             to_string(beside), device.spec.name));
}

RunnerOptions runner_options(const BenchRequest& request) {
  return {.regime = request.regime, .beside = request.policy.beside};
}

// Throws an environment error where there is no GPU to run --against, --beside or --counters on.
void require_measurable(const BenchRequest& request, const ResolvedDevice& device) {
  require_regime(request.regime, device);
  if (request.policy.beside) require_beside(request, device);
  if (request.policy.counters && device.gpu_index < 0) {
    throw environment_error(
        format("--counters needs a GPU, and device {} is a preset: name cuda:N or omit --counters",
               device.spec.name));
  }
  if (request.against != nullptr && device.gpu_index < 0) {
    throw environment_error(
        format("--against {} needs a GPU, and device {} is a preset: name cuda:N or omit --against",
               request.against->option, device.spec.name));
  }
}

// A workload, and what runs side by side on it.
struct PlannedBench {
  Workload workload;
  std::vector<BenchConfig> configs;
};

// The workloads with their configs. An internal error in one is reported, and raises the code.
std::vector<PlannedBench> plan_all(const BenchRequest& request, const Artefact* tuned,
                                   const DeviceSpec& device, ExitCode& code, Console& console) {
  std::vector<PlannedBench> planned;
  for (const Workload& workload : request.workloads) {
    code = attempt(workload, code, console, [&] {
      if (is_suite(request)) {
        planned.push_back({workload, {config_for(request, tuned, workload, device)}});
      } else {
        planned.push_back({workload, complete_all(request, workload, device)});
      }
      return ExitCode::Good;
    });
  }
  return planned;
}

// Runs each workload's configs side by side; without a runner the model predicts them. An error
// ends it after the results so far.
Report bench_all(const BenchRequest& request, const std::vector<PlannedBench>& planned,
                 const DeviceSpec& device, HarnessRunner* runner, ExitCode code, Console& console) {
  SuiteBench suite{.predicted = runner == nullptr};
  if (request.against != nullptr) suite.references = request.against->words;
  std::exception_ptr failure;
  ProgressBar bar(console);
  try {
    for (const PlannedBench& one : planned) {
      bar.subject(short_name(one.workload));
      code = attempt(one.workload, code, console, [&] {
        suite.results.push_back(
            runner != nullptr ? bench(one.workload, **runner, one.configs, request.policy, bar)
                              : predict_bench(one.workload, device, one.configs));
        return ExitCode::Good;
      });
    }
  } catch (const Error& error) {
    failure = std::current_exception();  // what was measured before it is shown
    code = error.code();
  }
  bar.clear();
  Report report = is_suite(request) || suite.results.empty()
                      ? suite_report(suite, device)
                      : bench_report(suite.results.front(), device, suite.predicted);
  report.code = failure ? code : std::max(code, code_of(suite));
  if (runner != nullptr && !failure) report.code = runner->report_disturbances(report.code);
  if (code == ExitCode::Interrupted && is_suite(request)) {
    report.notes.push_back(format("interrupted: {} of {} problems were measured",
                                  suite.results.size(), request.workloads.size()));
  } else {
    report.failure = failure;
  }
  return report;
}

// Runs foreign kernels side by side, and --config and --against beside them. A kernel takes the
// axis values that its option gives, and the first legal values on its other axes.
Report bench_harnesses(const BenchRequest& request, Console& console) {
  const Workload& workload = request.workloads.front();
  const ResolvedDevice device = resolve_harness_device(request.device);
  if (is_host(device) &&
      (!request.configs.empty() || request.against != nullptr || request.policy.beside)) {
    throw environment_error(
        "--config, --against and --beside run on a GPU, and --device is host: omit them or name "
        "cuda:N");
  }
  if (!is_host(device)) require_measurable(request, device);
  HarnessRunner runner(device, console.err, request.shared, runner_options(request));
  std::vector<BenchConfig> configs;
  configs.reserve(request.harnesses.size() + request.configs.size());
  for (const HarnessRequest& harness : request.harnesses) {
    configs.push_back(config_for(*runner, harness, workload));
  }
  for (BenchConfig& own : complete_all(request, workload, device.spec)) {
    configs.push_back(std::move(own));
  }
  return bench_all(request, {{workload, std::move(configs)}}, device.spec, &runner, ExitCode::Good,
                   console);
}

}  // namespace

Report sweep_bench(const BenchRequest& request, Console& console) {
  const ResolvedDevice device = resolve_device(request.device);
  const bool predicted = device.gpu_index < 0;
  if (predicted && !predicts_time(device.spec)) {
    throw usage_error(format("--sweep of bench compares times, and device {} has none: {}",
                             device.spec.name, kWhyNoTime));
  }
  require_measurable(request, device);
  std::optional<WatchedRunner> runner;
  if (!predicted) {
    runner.emplace(device, console.err, request.shared, runner_options(request));
  }
  const SweepNames names(request.configs.size(), predicted);
  ProgressBar bar(console);
  const auto numbers_at = [&](int64_t value) {
    const Workload workload = request.sweep->workload_at(value);
    require_room(workload, device.spec);
    const auto configs = complete_all(request, workload, device.spec);
    bar.subject(short_name(workload));
    return sweep_numbers(predicted ? predict_bench(workload, device.spec, configs)
                                   : bench(workload, **runner, configs, request.policy, bar),
                         names, predicted);
  };
  const auto subject = [&](const std::string&) {
    explain_device(device, console);
    return SweepSubject{
        .words = sweep_words(request, device.spec.name, predicted),
        .metric = sweep_metric(names),
        .numbers_at = numbers_at,
        .drawn = join(names.us, ",") + "," + join(names.over_first, ","),
        .place_of = [&](const std::string& metric) { return place_of(metric, request, predicted); },
        .unit = "elements"};
  };
  Report report = run_sweep(request.sweep->options, {}, subject, console);
  if (runner) report.code = runner->report_disturbances(report.code);
  return report;
}

Report run_bench(const BenchRequest& request, Console& console) {
  if (!request.harnesses.empty()) return bench_harnesses(request, console);
  return bench_on(resolve_device(request.device), request, console);
}

Report bench_on(const ResolvedDevice& device, const BenchRequest& request, Console& console) {
  require_measurable(request, device);
  std::optional<Artefact> artefact;
  if (!request.from.empty()) {
    artefact = load_best(request.from);
    explain_missing(request, *artefact, console);
  }
  for (const Workload& workload : request.workloads) require_room(workload, device.spec);
  ExitCode code = ExitCode::Good;
  const std::vector<PlannedBench> planned =
      plan_all(request, artefact ? &*artefact : nullptr, device.spec, code, console);
  explain_device(device, console);
  std::optional<HarnessRunner> runner;
  if (device.gpu_index >= 0) {
    runner.emplace(device, console.err, request.shared, runner_options(request));
  }
  return bench_all(request, planned, device.spec, runner ? &*runner : nullptr, code, console);
}

}  // namespace tilewright
