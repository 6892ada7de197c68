#include "bench_suite.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"
#include "bench_verb.hpp"
#include "job.hpp"
#include "model/roofline.hpp"
#include "progress_bar.hpp"
#include "search/bench.hpp"
#include "search/complete.hpp"
#include "store/bench_json.hpp"
#include "store/best_table.hpp"
#include "table.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

BenchConfig config_for(const BenchOptions& options, const Artefact* artefact,
                       const Problem& problem, const DeviceSpec& device) {
  const TuneEntry* const entry = artefact ? find_entry(*artefact, problem) : nullptr;
  if (entry != nullptr) return {"tuned", entry->choice};
  if (options.configs.empty()) return {"predicted best", complete_config({}, problem, device)};
  const std::string& requested = options.configs.front();
  return {requested, complete_config(parse_config(requested), problem, device)};
}

// One line on `err` about the problems that the artefact lacks.
void explain_missing(const BenchOptions& options, const Artefact& artefact,
                     const std::vector<Problem>& problems, Console& console) {
  const auto missing = std::count_if(problems.begin(), problems.end(), [&](const Problem& problem) {
    return find_entry(artefact, problem) == nullptr;
  });
  if (missing == 0) return;
  console.err << format(
      "{} of {} problem{} not in {}: {}\n", missing, problems.size(),
      problems.size() == 1 ? " is" : "s are", options.from,
      options.configs.empty() ? "their configs are chosen by the model" : "they take --config");
}

std::string ratio_text(const BenchRow& row) {
  if (!row.ratio) return "";
  return format("{:.3f} ({:.3f}-{:.3f})", row.ratio->ratio, row.ratio->interval.low,
                row.ratio->interval.high);
}

std::string suite_report(const SuiteBench& suite, const DeviceSpec& device, int width) {
  Table table({{"problem", false, 0},
               {"median us", true, 0},
               {"TFLOP/s", true, 1},
               {"ratio (95 %)", true, 0},
               {"% of ceiling", true, 2},
               {"config", false, 3}});
  for (const BenchResult& result : suite.results) {
    const BenchRow& row = result.rows.front();
    const Roofline floor = roofline(result.problem, device);
    const double us = row.timing ? row.timing->median_us : row.predicted.us;
    table.add_row({to_string(result.problem), time_text(us),
                   format("{:.0f}", flops(result.problem) / us * 1e-6), ratio_text(row),
                   format("{:.0f} {}", 100 * least_us(floor) / us, bound_name(floor)),
                   row.why_not.empty() ? to_string(row.effective) : row.why_not});
  }
  std::string text =
      format("{}{}\n", device.name, suite.predicted ? ", predicted, nothing ran" : "");
  text += table.render(width);
  if (suite.predicted) return text;
  if (const auto summary = summarize(suite)) {
    text += format(
        "ratio to the fastest of cuBLASLt's algorithms in the same rounds: geometric mean "
        "{:.3f} over {}, lowest {:.3f} ({})\n",
        summary->geometric_mean, summary->count, summary->lowest,
        to_string(summary->lowest_problem));
  }
  return text;
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

ExitCode bench_suite(const BenchOptions& options, const std::vector<Problem>& problems,
                     const ResolvedDevice& device, Console& console) {
  if (options.configs.size() > 1) {
    throw usage_error("several problems take one --config, or --from best.yaml with one for each");
  }
  require_known_reference(options, device);
  std::optional<Artefact> artefact;
  if (!options.from.empty()) {
    artefact = load_best(options.from);
    explain_missing(options, *artefact, problems, console);
  }
  std::vector<BenchConfig> configs;
  for (const Problem& problem : problems) {
    require_memory(problem, device.spec);
    configs.push_back(config_for(options, artefact ? &*artefact : nullptr, problem, device.spec));
  }
  explain_device(device, console);
  SuiteBench suite{.predicted = device.gpu_index < 0};
  std::unique_ptr<Runner> runner;
  if (!suite.predicted) {
    runner = device.backend->open_runner(device.gpu_index, device.spec, kDataSeed);
  }
  const BenchPolicy policy{
      .against_reference = !options.against.empty(), .rounds = options.rounds, .seed = kDataSeed};
  ProgressBar bar(console);
  const auto print = [&] {
    console.out << (options.format == Format::Json
                        ? suite_bench_json(suite, device.spec)
                        : suite_report(suite, device.spec, table_width(console)));
  };
  try {
    for (size_t i = 0; i < problems.size(); ++i) {
      bar.subject(to_string(problems[i].shape));
      suite.results.push_back(runner ? bench(problems[i], *runner, {configs[i]}, policy, bar)
                                     : predict_bench(problems[i], device.spec, {configs[i]}));
    }
  } catch (const Error& error) {
    // What was measured is shown all the same.
    bar.clear();
    if (!suite.results.empty()) print();
    if (error.code() != ExitCode::Interrupted) throw;
    console.err << format("interrupted: {} of {} problems are measured\n", suite.results.size(),
                          problems.size());
    return ExitCode::Interrupted;
  }
  print();
  return code_of(suite);
}

}  // namespace tilewright
