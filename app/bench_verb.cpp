// tilewright bench: named configs side by side, no search.

#include "bench_verb.hpp"

#include <memory>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "bench_suite.hpp"
#include "job.hpp"
#include "progress_bar.hpp"
#include "search/bench.hpp"
#include "search/complete.hpp"
#include "store/bench_json.hpp"
#include "table.hpp"
#include "tile/config/config_keys.hpp"
#include "verbs.hpp"

namespace tilewright {
namespace {

std::vector<BenchConfig> complete_all(const BenchOptions& options, const Problem& problem,
                                      const DeviceSpec& device) {
  std::vector<BenchConfig> configs;
  for (const std::string& text : options.configs) {
    configs.push_back({text, complete_config(parse_config(text), problem, device)});
  }
  return configs;
}

std::string state_of(const BenchRow& row, bool predicted) {
  if (predicted) return "predicted";
  if (row.wrong) return "wrong results: " + row.why_not;
  return row.timing ? "" : "refused: " + row.why_not;
}

std::string bench_report(const BenchResult& result, const DeviceSpec& device, bool predicted,
                         int width) {
  std::string text = format("{} on {}{}\n", to_string(result.problem), device.name,
                            predicted ? ", predicted, nothing ran" : "");
  Table table({{"#", true, 0},
               {"predicted us", true, predicted ? 0 : 3},
               {"median us", true, 0},
               {"95 %", true, 4},
               {"TFLOP/s", true, 2},
               {"ratio", true, 0},
               {"", false, 0}});
  for (size_t i = 0; i < result.rows.size(); ++i) {
    const BenchRow& row = result.rows[i];
    text += format("{}: requested {}\n   effective {}\n", i + 1, row.requested,
                   to_string(row.effective));
    table.add_row({format("{}", i + 1), time_text(row.predicted.us),
                   row.timing ? time_text(row.timing->median_us) : "",
                   row.timing ? format("{}..{}", time_text(row.timing->ci_us.low),
                                       time_text(row.timing->ci_us.high))
                              : "",
                   row.timing ? format("{:.0f}", row.timing->tflops) : "",
                   row.ratio ? format("{:.3f}", row.ratio->ratio) : "", state_of(row, predicted)});
  }
  text += table.render(width);
  if (result.baseline.empty()) return text;
  return text + format("ratio: time of {} ({} us) over the row's, {} rounds\n", result.baseline,
                       time_text(result.baseline_us), result.rounds);
}

ExitCode code_of(const BenchResult& result) {
  ExitCode code = ExitCode::Good;
  for (const BenchRow& row : result.rows) {
    if (row.wrong) return ExitCode::WrongResult;
    if (!row.timing) code = ExitCode::No;
  }
  return code;
}

}  // namespace

void require_known_reference(const BenchOptions& options, const ResolvedDevice& device) {
  if (options.against.empty()) return;
  if (options.against != "cublaslt") {
    constexpr std::string_view kKnown[] = {"cublaslt"};
    throw usage_error(format("--against '{}'{}; known is cublaslt", options.against,
                             did_you_mean(options.against, kKnown)));
  }
  if (device.gpu_index < 0) {
    throw environment_error(
        format("--against cublaslt runs on a GPU; device {} is a preset", device.spec.name));
  }
}

ExitCode bench_configs(const BenchOptions& options, const Problem& problem,
                       const ResolvedDevice& device, Console& console) {
  require_memory(problem, device.spec);
  require_known_reference(options, device);
  const std::vector<BenchConfig> configs = complete_all(options, problem, device.spec);
  explain_device(device, console);
  const bool predicted = device.gpu_index < 0;
  BenchResult result;
  if (predicted) {
    result = predict_bench(problem, device.spec, configs);
  } else {
    const std::unique_ptr<Runner> runner =
        device.backend->open_runner(device.gpu_index, device.spec, kDataSeed);
    const BenchPolicy policy{
        .against_reference = !options.against.empty(), .rounds = options.rounds, .seed = kDataSeed};
    ProgressBar bar(console);
    bar.subject(to_string(problem.shape));
    result = bench(problem, *runner, configs, policy, bar);
  }
  console.out << (options.format == Format::Json
                      ? bench_json(result, device.spec, predicted)
                      : bench_report(result, device.spec, predicted, table_width(console)));
  return predicted ? ExitCode::Good : code_of(result);
}

ExitCode run_bench(const BenchOptions& options, Console& console) {
  const std::vector<Problem> problems = read_problems({options.problem}, options.kind);
  const ResolvedDevice device = resolve_device(options.device);
  if (problems.size() > 1 || !options.from.empty()) {
    return bench_suite(options, problems, device, console);
  }
  if (options.configs.empty()) {
    throw usage_error(
        "bench compares what it is given: --config key=value,... or --from best.yaml");
  }
  return bench_configs(options, problems.front(), device, console);
}

}  // namespace tilewright
