// tilewright tune --replay: compares strategies on a store's times.

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "render/table.hpp"
#include "request/job.hpp"
#include "search/strategy.hpp"
#include "store/record_store.hpp"
#include "verbs/tune_verb.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

constexpr size_t kBudgets[] = {10, 20, 40};

std::vector<Strategy> strategies_of(const TuneRequest& request) {
  if (request.strategy) return {*request.strategy};
  std::vector<Strategy> all;
  for (const std::string_view name : kStrategies) all.push_back(parse_strategy(name));
  return all;
}

// The run with the most configs of a problem; times of different runs are not comparable.
std::vector<RecordedConfig> richest(const RecordStore& store, const Workload& problem,
                                    const DeviceSpec& device) {
  std::vector<RecordedConfig> most;
  for (const StoredRun& run : store.runs) {
    RunLog log;
    add_to(log, run.records);
    const auto known = log.find(full_text(problem));
    if (known == log.end()) continue;
    std::vector<RecordedConfig> configs = recorded_configs(problem, known->second, device);
    if (configs.size() > most.size()) most = std::move(configs);
  }
  return most;
}

// The fastest recorded configs, with their predictions.
Document fastest(std::vector<RecordedConfig> configs, bool has_times, int64_t top) {
  std::sort(configs.begin(), configs.end(),
            [](const RecordedConfig& a, const RecordedConfig& b) { return a.us < b.us; });
  configs.resize(std::min(configs.size(), static_cast<size_t>(top)));
  Document list = Document::array();
  for (const RecordedConfig& c : configs) {
    list.push_back({{"config", to_string(c.config)},
                    {"us", c.us},
                    {"predicted_us", has_times ? Document(c.predicted_us) : Document()}});
  }
  return list;
}

double reached(const SearchProgress& progress, size_t count) {
  return progress.reached[std::min(count, progress.reached.size()) - 1];
}

// One row per strategy; also appends the rows to `document`.
Report compare_strategies(const TuneRequest& request, const Workload& problem,
                          const std::vector<RecordedConfig>& configs, bool has_times,
                          Document& document) {
  constexpr int kSeeds = 100;
  Table table({{"strategy", false, 0},
               {"of best: 10", true, 1},
               {"20", true, 2},
               {"40 configs", true, 1},
               {"configs to 99 %", true, 0}});
  const Document front = fastest(configs, has_times, request.top);
  for (const Strategy strategy : strategies_of(request)) {
    const std::string name(kStrategies[static_cast<size_t>(strategy)]);
    const SearchProgress p = replay(strategy, configs, strategy == Strategy::Random ? kSeeds : 1);
    std::vector<std::string> row = {name};
    Document entry = {{"problem", shapes_text(problem)},
                      {"configs", configs.size()},
                      {"strategy", name},
                      {"configs_to_99", p.configs_to_99},
                      {"fastest", front}};
    for (const size_t count : kBudgets) {
      row.push_back(format("{:.1f} %", 100 * reached(p, count)));
      entry[format("reached_{}", count)] = reached(p, count);
    }
    row.push_back(format("{}", p.configs_to_99));
    table.add_row(row);
    document.push_back(entry);
  }
  return {.text = {format("{}: {} recorded configs\n", to_string(problem), configs.size()), table}};
}

}  // namespace

Report replay_tune(const TuneRequest& request, const std::vector<Workload>& problems,
                   const ResolvedDevice& device, const ReportSink& show, Console& console) {
  const RecordStore store =
      parse_records(read_file(request.replay, kMaxStoreBytes), request.replay);
  console.note(reading_notes(store, request.replay));
  Document document = Document::array();
  ExitCode code = ExitCode::Good;
  for (const Workload& problem : problems) {
    code = attempt(problem, code, console, [&] {
      const std::vector<RecordedConfig> configs = richest(store, problem, device.spec);
      if (configs.empty()) {
        throw usage_error(format("{} has no times of {}", request.replay, to_string(problem)));
      }
      show(compare_strategies(request, problem, configs, predicts_time(device.spec), document));
      return ExitCode::Good;
    });
  }
  return {.json = [document] { return to_json(document); }, .code = code};
}

}  // namespace tilewright
