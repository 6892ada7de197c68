// tilewright bench --harness: kernels of others, beside configs of ours.

#include "bench_verb.hpp"
#include "harness_files.hpp"
#include "job.hpp"
#include "progress_bar.hpp"
#include "search/bench.hpp"
#include "search/complete.hpp"
#include "store/measured_json.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {

ExitCode bench_harnesses(const BenchOptions& options, const Workload& workload, Console& console) {
  const ResolvedDevice device = resolve_harness_device(options.device);
  if (is_host(device) && (!options.configs.empty() || !options.against.empty())) {
    throw environment_error("--config and --against run on a GPU; device host is none");
  }
  std::vector<HarnessRequest> requests;
  for (const std::string& text : options.harnesses) requests.push_back(parse_harness_request(text));
  const BenchPolicy policy = policy_of(options);
  std::optional<WatchedRunner> watched;
  std::unique_ptr<Runner> host;
  if (is_host(device)) {
    host = open_host_runner(kDataSeed);
  } else {
    require_measurable(options, device);
    watched.emplace(device, console.err, options.shared,
                    RunnerOptions{.regime = parse_regime(options.regime)});
  }
  Runner& runner = host ? *host : **watched;
  std::vector<BenchConfig> configs;
  for (const HarnessRequest& request : requests) {
    const HarnessDescription harness = describe_harness(runner, request, workload);
    configs.push_back(
        {.requested = request.text, .foreign = first_legal(harness, workload, request.values)});
  }
  for (const std::string& text : options.configs) {
    configs.push_back({.requested = text,
                       .effective = complete_config(parse_config(text), workload, device.spec)});
  }
  ProgressBar bar(console);
  bar.subject(short_name(workload));
  const BenchResult result = bench(workload, runner, configs, policy, bar);
  console.out << (options.format == Format::Json
                      ? bench_json(result, device.spec, false)
                      : bench_report(result, device.spec, false, table_width(console)));
  const ExitCode code = code_of(result);
  return watched ? watched->look_back(code) : code;
}

}  // namespace tilewright
