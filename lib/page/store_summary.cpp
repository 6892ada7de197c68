#include "page/store_summary.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"
#include "draw/diagram_page.hpp"
#include "model/estimate.hpp"
#include "search/strategy.hpp"
#include "store/device_preset.hpp"
#include "store/stored_answers.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

// The records of one GPU from all runs.
struct GpuLog {
  DeviceFingerprint device;
  RunLog log;
  std::vector<Workload> problems;  // in the order of their first records
  std::set<std::string> names;     // full texts of `problems`
};

using GpuLogs = std::map<std::string, GpuLog>;  // by UUID

GpuLogs logs_of(const RecordStore& store) {
  GpuLogs logs;
  for (const StoredRun& run : store.runs) {
    GpuLog& gpu = logs[run.head.device_uuid];
    gpu.device = run.head.device;
    for (const Record& record : run.records) {
      const auto* const problem = std::get_if<ProblemRecord>(&record);
      if (problem == nullptr) continue;
      if (gpu.names.insert(full_text(problem->problem)).second) {
        gpu.problems.push_back(problem->problem);
      }
    }
    add_to(gpu.log, run.records);
  }
  return logs;
}

// The config of our own kernel; nothing for a foreign kernel's name.
std::optional<TileConfig> own_config(const std::string& text) {
  try {
    return config_of(parse_config(text));
  } catch (const Error& error) {
    if (error.code() != ExitCode::Usage) throw;
    return std::nullopt;
  }
}

std::optional<double> predicted_us(const Workload& problem, const std::string& text,
                                   const DeviceSpec& device) {
  const std::optional<TileConfig> config = own_config(text);
  if (!config) return std::nullopt;
  try {
    return believed_us(estimate(make_plan(problem, *config, device), device));
  } catch (const Error& error) {
    if (error.code() != ExitCode::Usage) throw;
    return std::nullopt;
  }
}

HeatMap heat_of(const Workload& problem, const std::vector<RecordedTime>& times) {
  HeatMap heat{.title = to_string(problem), .row_name = "CTA tile", .column_name = "raster"};
  for (const RecordedTime& time : times) {
    const std::optional<TileConfig> config = own_config(time.config);
    if (!config) continue;
    heat.add(to_string(config->cta), to_string(config->raster), time.us);
  }
  return heat;
}

StoredProblem problem_of(const Workload& workload, const ProblemLog& log, size_t most) {
  StoredProblem problem;
  problem.problem = workload;
  problem.built = log.builds.size();
  std::vector<RecordedTime> times = recorded_times(log);
  problem.timed = times.size();
  problem.heat = heat_of(workload, times);
  std::stable_sort(times.begin(), times.end(),
                   [](const RecordedTime& a, const RecordedTime& b) { return a.us < b.us; });
  for (const RecordedTime& time : times) {
    problem.launches += time.launches;
    if (problem.fastest.size() == most) continue;
    const std::optional<TileConfig> config = own_config(time.config);
    problem.fastest.push_back({.config = time.config,
                               .tile = config ? to_string(config->cta) : "",
                               .raster = config ? to_string(config->raster) : "",
                               .us = time.us,
                               .launches = time.launches});
  }
  return problem;
}

void predict_fastest(StoredProblem& problem, const DeviceSpec& device) {
  for (TimedConfig& config : problem.fastest) {
    throw_if_interrupted();
    config.predicted_us = predicted_us(problem.problem, config.config, device);
  }
}

Document config_document(const TimedConfig& config) {
  Document document = {{"config", config.config}, {"us", config.us}, {"launches", config.launches}};
  if (config.predicted_us) document["predicted_us"] = *config.predicted_us;
  return document;
}

}  // namespace

StoreSummary summary_of(const RecordStore& store) {
  StoreSummary summary{.runs = store.runs.size(), .shown = {}};
  for (const StoredRun& run : store.runs) {
    summary.records += run.records.size() + run.answers.size();
  }
  const GpuLogs logs = logs_of(store);
  for (const auto& [uuid, gpu] : logs) summary.problems += gpu.problems.size();
  const size_t most = std::clamp(kMaxStoredConfigs / std::max<size_t>(1, summary.problems),
                                 size_t{1}, kMaxConfigsOfOne);
  const std::map<std::string, Artefact> answers = answers_of(store);
  for (const auto& [uuid, gpu] : logs) {
    const std::optional<DeviceSpec> device = preset_like(gpu.device);
    for (const Workload& workload : gpu.problems) {
      if (summary.shown.size() == kMaxStoredProblems) return summary;
      const std::string name = full_text(workload);
      StoredProblem problem = problem_of(workload, gpu.log.at(name), most);
      problem.device = format("{}, {}", gpu.device.name, uuid);
      if (device) predict_fastest(problem, *device);
      const auto answer = answers.find(name);
      if (answer != answers.end() && answer->second.device == gpu.device &&
          answer->second.entries.front().reference) {
        problem.ratio = answer->second.entries.front().reference->ratio;
      }
      summary.shown.push_back(std::move(problem));
    }
  }
  return summary;
}

std::string summary_rule(const StoreSummary& summary) {
  size_t most = 0;
  for (const StoredProblem& problem : summary.shown) most = std::max(most, problem.fastest.size());
  const std::string which =
      summary.shown.size() == summary.problems
          ? counted(static_cast<int64_t>(summary.problems), "problem")
          : format("the first {} of {} problems", summary.shown.size(), summary.problems);
  return format(
      "{} of {} are summarised: {}; of each, at most {} configs, the fastest by the median of "
      "their first race, and the shortest time of each tile and raster, at most {} x {}.",
      counted(static_cast<int64_t>(summary.records), "record"),
      counted(static_cast<int64_t>(summary.runs), "run"), which, most, kMaxHeatRows,
      kMaxHeatColumns);
}

Document to_document(const StoreSummary& summary) {
  Document document = {{"runs", summary.runs},
                       {"records", summary.records},
                       {"rule", summary_rule(summary)},
                       {"problems", Document::array()}};
  for (const StoredProblem& problem : summary.shown) {
    Document one = to_document(problem.problem);
    one["device"] = problem.device;
    one["built"] = problem.built;
    one["timed"] = problem.timed;
    one["launches"] = problem.launches;
    if (problem.ratio) one["ratio"] = problem.ratio->ratio;
    one["fastest"] = Document::array();
    for (const TimedConfig& config : problem.fastest) {
      one["fastest"].push_back(config_document(config));
    }
    document["problems"].push_back(std::move(one));
  }
  return document;
}

}  // namespace tilewright
