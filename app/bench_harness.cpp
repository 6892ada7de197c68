// tilewright bench --harness: foreign kernels beside our configs.

#include "bench_table.hpp"
#include "bench_verb.hpp"
#include "harness_files.hpp"
#include "job.hpp"
#include "progress_bar.hpp"
#include "search/bench.hpp"
#include "search/complete.hpp"
#include "store/measured_json.hpp"
#include "tile/config/config_keys.hpp"

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

ExitCode bench_harnesses(const BenchOptions& options, const Workload& workload, Console& console) {
  const ResolvedDevice device = resolve_harness_device(options.device);
  if (is_host(device) && (!options.configs.empty() || !options.against.empty())) {
    throw environment_error(
        "--config and --against run on a GPU, and --device is host: omit them or name cuda:N");
  }
  std::vector<HarnessRequest> requests;
  for (const std::string& text : options.harnesses) {
    requests.push_back(parse_harness_request(text));
    require_file(requests.back());
  }
  const BenchPolicy policy = policy_of(options);
  if (!is_host(device)) require_measurable(options, device);
  HarnessRunner runner(device, console.err, options.shared,
                       {.regime = parse_regime(options.regime)});
  std::vector<BenchConfig> configs;
  configs.reserve(requests.size() + options.configs.size());
  for (const HarnessRequest& request : requests) {
    configs.push_back(config_for(*runner, request, workload));
  }
  for (const std::string& text : options.configs) {
    configs.push_back({.requested = text,
                       .effective = complete_config(parse_config(text), workload, device.spec)});
  }
  ProgressBar bar(console);
  bar.subject(short_name(workload));
  const BenchResult result = bench(workload, *runner, configs, policy, bar);
  console.out << (options.format == Format::Json ? bench_json(result, device.spec, false)
                  : options.format == Format::Csv
                      ? bench_csv(result, false)
                      : bench_report(result, device.spec, false, table_width(console)));
  return runner.report_disturbances(code_of(result));
}

}  // namespace tilewright
