// tilewright bench --harness: foreign kernels beside our configs.

#include "bench_table.hpp"
#include "bench_verb.hpp"
#include "harness_files.hpp"
#include "job.hpp"
#include "progress_bar.hpp"
#include "search/bench.hpp"
#include "search/complete.hpp"
#include "store/measured_json.hpp"

namespace tilewright {

namespace {

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

}  // namespace

ExitCode bench_harnesses(const BenchRequest& request, const Workload& workload, Console& console) {
  const ResolvedDevice device = resolve_harness_device(request.device);
  if (is_host(device) && (!request.configs.empty() || request.against != nullptr)) {
    throw environment_error(
        "--config and --against run on a GPU, and --device is host: omit them or name cuda:N");
  }
  for (const HarnessRequest& harness : request.harnesses) require_file(harness);
  if (!is_host(device)) require_measurable(request, device);
  HarnessRunner runner(device, console.err, request.shared, {.regime = request.regime});
  std::vector<BenchConfig> configs;
  configs.reserve(request.harnesses.size() + request.configs.size());
  for (const HarnessRequest& harness : request.harnesses) {
    configs.push_back(config_for(*runner, harness, workload));
  }
  for (const NamedConfig& named : request.configs) {
    configs.push_back({.requested = named.text,
                       .effective = complete_config(named.request, workload, device.spec)});
  }
  ProgressBar bar(console);
  bar.subject(short_name(workload));
  const BenchResult result = bench(workload, *runner, configs, request.policy, bar);
  console.out << (request.format == Format::Json ? bench_json(result, device.spec, false)
                  : request.format == Format::Csv
                      ? bench_csv(result, false)
                      : bench_report(result, device.spec, false, table_width(console)));
  return runner.report_disturbances(code_of(result));
}

}  // namespace tilewright
