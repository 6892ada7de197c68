// tilewright bench: compares named configs; no search.
#include "bench_verb.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "bench_table.hpp"
#include "harness_files.hpp"
#include "job.hpp"
#include "progress_bar.hpp"
#include "search/bench.hpp"
#include "search/complete.hpp"
#include "store/best_table.hpp"
#include "store/measured_json.hpp"
#include "sweep.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/legality.hpp"
#include "verbs.hpp"

namespace tilewright {

namespace {

std::vector<BenchConfig> complete_all(const BenchOptions& options, const Workload& workload,
                                      const DeviceSpec& device) {
  std::vector<BenchConfig> configs;
  for (const std::string& text : options.configs) {
    configs.push_back({text, complete_config(parse_config(text), workload, device)});
  }
  return configs;
}

// The values of --against.
struct ReferenceLibraries {
  std::string_view option;
  std::string_view left_out;  // prefix of the references that the option leaves out
  std::string_view words;
};
constexpr ReferenceLibraries kReferences[] = {
    {"cublaslt", "cublas/", "cuBLASLt's algorithms"},
    {"cublas", "", "cuBLAS's and cuBLASLt's algorithms"},
};

const ReferenceLibraries& references_named(const std::string& against) {
  for (const ReferenceLibraries& libraries : kReferences) {
    if (libraries.option == against) return libraries;
  }
  const std::vector<std::string_view> known = reference_library_names();
  throw usage_error(format("--against '{}'{}; it takes {}", against, did_you_mean(against, known),
                           join_words(known, "and")));
}

RunnerOptions runner_options(const BenchOptions& options) {
  return {.regime = parse_regime(options.regime)};
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

// The first products of a large group.
std::string few_of(const std::string& problem) {
  constexpr size_t kMax = 4;
  const std::vector<std::string_view> shapes = split(problem, ',');
  if (shapes.size() <= kMax) return problem;
  const std::vector<std::string> first(shapes.begin(), shapes.begin() + kMax);
  return format("{} and {} more", join(first, ","), shapes.size() - kMax);
}

std::string sweep_words(const BenchOptions& o, const std::string& device, bool predicted) {
  std::string words =
      format("{}{} {} {}, {} {}", o.kind.op == "gemm" ? "" : o.kind.op + " ", few_of(o.problem),
             o.kind.dtype, o.kind.layout, predicted ? "predicted for" : "measured on", device);
  for (size_t i = 0; i < o.configs.size(); ++i) words += format("; {}: {}", i + 1, o.configs[i]);
  return words;
}

// The default numbers: the first config's time, and the ratios of the others to it.
std::string sweep_metric(const SweepNames& names) {
  std::vector<std::string> metrics = names.over_first;
  metrics.front() = names.us.front();
  return join(metrics, ",");
}

// A picture shows the times of all configs in one chart, and their ratios in another.
ChartPlace place_of(const std::string& metric, const BenchOptions& o, bool predicted) {
  const size_t dot = metric.find('.');
  const std::optional<int64_t> number = parse_count(std::string_view(metric).substr(0, dot));
  if (!number || *number < 1 || *number > static_cast<int64_t>(o.configs.size())) return {};
  const size_t index = static_cast<size_t>(*number) - 1;
  const bool share = std::string_view(metric).substr(dot + 1) == "over_first";
  return {share       ? "time divided by the time of config 1"
          : predicted ? "predicted time, us"
                      : "measured time (median), us",
          o.configs[index], index};
}

BenchConfig config_for(const BenchOptions& options, const Artefact* artefact,
                       const Workload& workload, const DeviceSpec& device) {
  const TuneEntry* const entry = artefact ? find_entry(*artefact, workload) : nullptr;
  if (entry != nullptr && entry->problem == workload) return {"tuned", entry->choice};
  if (entry != nullptr && !reject_workload(workload, entry->choice, device)) {
    return {format("tuned for {}", to_string(entry->problem)), entry->choice};
  }
  if (options.configs.empty()) return {"predicted best", complete_config({}, workload, device)};
  const std::string& requested = options.configs.front();
  return {requested, complete_config(parse_config(requested), workload, device)};
}

// One line on `err` about the problems that the artefact lacks.
void explain_missing(const BenchOptions& options, const Artefact& artefact,
                     const std::vector<Workload>& workloads, Console& console) {
  const auto missing = std::count_if(workloads.begin(), workloads.end(), [&](const Workload& w) {
    return find_entry(artefact, w) == nullptr;
  });
  if (missing == 0) return;
  console.note(format("{} of {} problem{} not in {}: {}", missing, workloads.size(),
                      workloads.size() == 1 ? " is" : "s are", options.from,
                      options.configs.empty() ? "the model chooses their configs"
                                              : "their configs are those of --config"));
}

ExitCode code_of(const SuiteBench& suite) {
  ExitCode code = ExitCode::Good;
  for (const BenchResult& result : suite.results) {
    const BenchRow& row = result.rows.front();
    if (row.wrong) return ExitCode::WrongResult;
    if (!suite.predicted && !row.timing) code = ExitCode::No;
  }
  return code;
}

}  // namespace

ExitCode code_of(const BenchResult& result) {
  ExitCode code = ExitCode::Good;
  for (const BenchRow& row : result.rows) {
    if (row.wrong) return ExitCode::WrongResult;
    if (!row.timing) code = ExitCode::No;
    if (!row.why_no_counters.empty()) code = ExitCode::Environment;
  }
  return code;
}

BenchPolicy policy_of(const BenchOptions& options) {
  BenchPolicy policy{.against_reference = !options.against.empty(),
                     .rounds = options.rounds,
                     .seed = kDataSeed,
                     .counters = options.counters};
  if (policy.against_reference) policy.left_out = references_named(options.against).left_out;
  return policy;
}

std::vector<std::string_view> reference_library_names() {
  std::vector<std::string_view> names;
  for (const ReferenceLibraries& libraries : kReferences) names.push_back(libraries.option);
  return names;
}

void require_measurable(const BenchOptions& options, const ResolvedDevice& device) {
  require_regime(options.regime, device);
  if (options.counters && device.gpu_index < 0) {
    throw environment_error(
        format("--counters needs a GPU, and device {} is a preset: name cuda:N or omit --counters",
               device.spec.name));
  }
  if (options.against.empty()) return;
  references_named(options.against);
  if (device.gpu_index < 0) {
    throw environment_error(
        format("--against {} needs a GPU, and device {} is a preset: name cuda:N or omit --against",
               options.against, device.spec.name));
  }
}

ExitCode bench_configs(const BenchOptions& options, const Workload& workload,
                       const ResolvedDevice& device, Console& console) {
  require_memory(workload, device.spec);
  require_measurable(options, device);
  const std::vector<BenchConfig> configs = complete_all(options, workload, device.spec);
  explain_device(device, console);
  const bool predicted = device.gpu_index < 0;
  BenchResult result;
  std::optional<WatchedRunner> runner;
  if (predicted) {
    result = predict_bench(workload, device.spec, configs);
  } else {
    runner.emplace(device, console.err, options.shared, runner_options(options));
    const BenchPolicy policy = policy_of(options);
    ProgressBar bar(console);
    bar.subject(short_name(workload));
    result = bench(workload, **runner, configs, policy, bar);
  }
  console.out << (options.format == Format::Json ? bench_json(result, device.spec, predicted)
                  : options.format == Format::Csv
                      ? bench_csv(result, predicted)
                      : bench_report(result, device.spec, predicted, table_width(console)));
  return predicted ? ExitCode::Good : runner->report_disturbances(code_of(result));
}

ExitCode sweep_bench(const BenchOptions& options, Console& console) {
  if (options.configs.empty()) {
    throw usage_error("bench --sweep needs the configs to compare: add --config key=value,...");
  }
  const ResolvedDevice device = resolve_device(options.device);
  const bool predicted = device.gpu_index < 0;
  std::optional<WatchedRunner> runner;
  require_measurable(options, device);
  if (!predicted) runner.emplace(device, console.err, options.shared, runner_options(options));
  const BenchPolicy policy = policy_of(options);
  const SweepNames names(options.configs.size(), predicted);
  ProgressBar bar(console);
  const auto subject = [&](const std::string& name) {
    BenchOptions o = options;
    if (!has_mark(name, {&o.problem}) &&
        !mark_size(name, {{"m", &o.problem, 0}, {"n", &o.problem, 1}, {"k", &o.problem, 2}})) {
      throw unknown_parameter(name, {"m", "n", "k"});
    }
    explain_device(device, console);
    return SweepSubject{
        .words = sweep_words(o, device.spec.name, predicted),
        .metric = sweep_metric(names),
        .numbers_at =
            [&, o, name](int64_t value) {
              BenchOptions at = o;
              fill_mark(name, value, {&at.problem});
              const Workload workload =
                  read_runnable(read_arguments({at.problem}), at.kind).front();
              require_memory(workload, device.spec);
              const auto configs = complete_all(at, workload, device.spec);
              bar.subject(short_name(workload));
              return sweep_numbers(predicted ? predict_bench(workload, device.spec, configs)
                                             : bench(workload, **runner, configs, policy, bar),
                                   names, predicted);
            },
        .drawn = join(names.us, ",") + "," + join(names.over_first, ","),
        .place_of = [&](const std::string& metric) { return place_of(metric, options, predicted); },
        .unit = "elements"};
  };
  const ExitCode code = run_sweep(options.sweep, {}, options.format, subject, console);
  return runner ? runner->report_disturbances(code) : code;
}

ExitCode run_bench(const BenchOptions& options, Console& console) {
  if (!options.sweep.over.empty()) return sweep_bench(options, console);
  require_sweep(options.sweep, "schedule");
  const std::vector<ProblemArgument> arguments = read_arguments({options.problem});
  const std::vector<Workload> workloads = read_runnable(arguments, options.kind);
  BenchOptions with = options;
  if (with.harnesses.empty()) {
    const std::string harness = harness_for("", arguments);
    if (!harness.empty()) with.harnesses.push_back(harness);
  }
  if (!with.harnesses.empty()) {
    if (workloads.size() == 1 && options.from.empty()) {
      return bench_harnesses(with, workloads.front(), console);
    }
    throw usage_error("bench --harness takes one problem and no --from");
  }
  const ResolvedDevice device = resolve_device(options.device);
  if (workloads.size() > 1 || !options.from.empty()) {
    return bench_suite(options, workloads, device, console);
  }
  if (options.configs.empty()) {
    throw usage_error(
        "bench needs the configs to compare: add --config key=value,... or --from best.yaml");
  }
  return bench_configs(options, workloads.front(), device, console);
}

ExitCode bench_suite(const BenchOptions& options, const std::vector<Workload>& workloads,
                     const ResolvedDevice& device, Console& console) {
  if (options.configs.size() > 1) {
    throw usage_error(
        "several problems take one --config, or --from best.yaml with an entry for each");
  }
  require_measurable(options, device);
  std::optional<Artefact> artefact;
  if (!options.from.empty()) {
    artefact = load_best(options.from);
    explain_missing(options, *artefact, workloads, console);
  }
  for (const Workload& workload : workloads) require_memory(workload, device.spec);
  ExitCode code = ExitCode::Good;
  std::vector<std::pair<Workload, BenchConfig>> planned;
  for (const Workload& workload : workloads) {
    code = attempt(workload, code, console, [&] {
      const Artefact* const tuned = artefact ? &*artefact : nullptr;
      planned.emplace_back(workload, config_for(options, tuned, workload, device.spec));
      return ExitCode::Good;
    });
  }
  explain_device(device, console);
  SuiteBench suite{.predicted = device.gpu_index < 0};
  if (!options.against.empty()) suite.references = references_named(options.against).words;
  std::optional<WatchedRunner> runner;
  if (!suite.predicted) {
    runner.emplace(device, console.err, options.shared, runner_options(options));
  }
  const BenchPolicy policy = policy_of(options);
  ProgressBar bar(console);
  const auto print = [&] {
    bar.clear();
    if (suite.results.empty()) return;
    console.out << (options.format == Format::Json ? suite_bench_json(suite, device.spec)
                    : options.format == Format::Csv
                        ? suite_csv(suite, device.spec)
                        : suite_report(suite, device.spec, table_width(console)));
  };
  try {
    for (const auto& one : planned) {
      const Workload& workload = one.first;
      bar.subject(short_name(workload));
      code = attempt(workload, code, console, [&] {
        suite.results.push_back(runner ? bench(workload, **runner, {one.second}, policy, bar)
                                       : predict_bench(workload, device.spec, {one.second}));
        return ExitCode::Good;
      });
    }
  } catch (const Error& error) {
    // Show what was measured before the error.
    print();
    if (error.code() != ExitCode::Interrupted) throw;
    console.note(format("interrupted: {} of {} problems were measured", suite.results.size(),
                        workloads.size()));
    return ExitCode::Interrupted;
  }
  print();
  code = std::max(code, code_of(suite));
  return runner ? runner->report_disturbances(code) : code;
}

}  // namespace tilewright
