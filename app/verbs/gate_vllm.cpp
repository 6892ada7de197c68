#include "verbs/gate_vllm.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "exchange/vllm_file.hpp"
#include "gate/gate_measured.hpp"
#include "host/harness_files.hpp"
#include "render/gate_output.hpp"
#include "render/progress_bar.hpp"
#include "store/suite.hpp"
#include "verbs/gate_trend.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

// The product of a row, with the scales that the harness takes.
Workload product_of(const HarnessDescription& harness, const VllmFileName& name, int64_t m) {
  return workload_of(
      Problem{.shape = {m, name.n, name.k},
              .kind = {.dtype = DataType::E4M3, .epilogue = scales_among(harness.takes.epilogue)}});
}

// The rows of the files, and the verdicts on those that the harness does not have.
struct Rows {
  std::vector<GateCase> cases;
  std::vector<CaseVerdict> unknown;
};

void add_row(const HarnessDescription& harness, const VllmFile& file, const VllmRow& row,
             Rows& rows) {
  GateCase made{.name = format("N={},K={},M={}", file.name.n, file.name.k, row.m),
                .problem = product_of(harness, file.name, row.m),
                .config = {},
                .why_illegal = {}};
  const std::string why = why_not_taken(harness, made.problem);
  if (!why.empty()) throw usage_error(why);
  ForeignConfig wanted = default_config(harness);
  const auto is_same = [&wanted](const ForeignConfig& config) {
    return config.values == wanted.values;
  };
  made.other = wanted;
  made.other_is_default = true;
  const std::vector<ForeignConfig> legal = legal_configs(harness, made.problem).legal;
  if (std::none_of(legal.begin(), legal.end(), is_same)) {
    made.why_no_other = format("{} is not legal", to_string(wanted.values));
  }
  for (AxisValue& value : wanted.values) {
    const auto in_row = std::find_if(row.values.begin(), row.values.end(),
                                     [&](const AxisValue& v) { return v.axis == value.axis; });
    value.value = in_row->value;
  }
  made.foreign = wanted;
  if (std::any_of(legal.begin(), legal.end(), is_same)) {
    rows.cases.push_back(std::move(made));
    return;
  }
  rows.unknown.push_back(early_verdict(
      made.name, Verdict::Environment,
      format("{}:{}: harness {} has no config {}: compile it, and add it to the configs", file.path,
             row.line, harness.name, to_string(row.values))));
}

// Throws a usage error unless the harness's axes are the parameters of a row, with a default.
void require_rows_of(const HarnessDescription& harness) {
  std::set<std::string_view> axes;
  for (const HarnessAxis& axis : harness.axes) axes.insert(axis.name);
  if (axes != std::set<std::string_view>(kVllmKeys.begin(), kVllmKeys.end())) {
    throw usage_error(format("harness {}: its axes are not the parameters of the files, {}",
                             harness.name, join_words(kVllmKeys, "and")));
  }
  if (harness.default_values.empty()) {
    throw usage_error(
        format("harness {} states no default config to compare with: add the key `default`",
               harness.name));
  }
}

void keep_chosen_rows(const std::vector<std::string>& chosen, const std::string& source,
                      Rows& rows) {
  if (chosen.empty()) return;
  std::vector<std::string_view> names;
  for (const GateCase& row : rows.cases) names.push_back(row.name);
  for (const CaseVerdict& row : rows.unknown) names.push_back(row.name);
  require_case_names(chosen, names, source);
  const auto is_left_out = [&chosen](const auto& row) {
    return std::find(chosen.begin(), chosen.end(), row.name) == chosen.end();
  };
  std::erase_if(rows.cases, is_left_out);
  std::erase_if(rows.unknown, is_left_out);
}

std::vector<std::string> devices_of(const std::vector<VllmFileName>& files) {
  std::vector<std::string> devices;
  devices.reserve(files.size());
  for (const VllmFileName& file : files) devices.push_back(file.device);
  return devices;
}

std::vector<std::string> notes_of(const VllmFolder& folder, const HarnessDescription& harness,
                                  const std::string& device) {
  std::vector<std::string> notes;
  for (const VllmFile& file : folder.files) {
    const std::string compiler = "triton " + file.triton_version;
    if (file.triton_version.empty() || harness.compiler.empty() || compiler == harness.compiler) {
      continue;
    }
    notes.push_back(
        format("{} was written for {}, and harness {} was compiled by {}: its rows may "
               "rank otherwise there",
               file.path, compiler, harness.name, harness.compiler));
  }
  const auto add = [&notes](const std::vector<std::string>& names, const std::string& why) {
    if (names.empty()) return;
    notes.push_back(
        format("skipped {} file{} {}", names.size(), names.size() == 1 ? "" : "s", why));
  };
  add(devices_of(folder.others), format("for other devices than {}", device));
  add(folder.skipped,
      format("of another form than N=..,K=..,device_name=..,dtype=fp8_w8a8,block_shape=[128,128]"
             ".json, such as {}",
             folder.skipped.empty() ? "" : folder.skipped.front()));
  return notes;
}

VllmFolder files_for(const std::string& path, const std::string& device) {
  VllmFolder folder = load_vllm_folder(path, device);
  if (!folder.files.empty()) return folder;
  if (folder.others.empty()) {
    throw usage_error(format("'{}' has no file of the form {}", path,
                             to_string(VllmFileName{.n = 7168, .k = 2048, .device = device})));
  }
  const std::vector<std::string> devices = devices_of(folder.others);
  const std::set<std::string> others(devices.begin(), devices.end());
  throw environment_error(
      format("the files of '{}' are for {}, and this device is {}: times of two devices cannot be "
             "compared",
             path, join(std::vector<std::string>(others.begin(), others.end()), ", "), device));
}

Rows rows_of(const VllmFolder& folder, const HarnessDescription& harness) {
  Rows rows;
  for (const VllmFile& file : folder.files) {
    for (const VllmRow& row : file.rows) add_row(harness, file, row, rows);
  }
  return rows;
}

}  // namespace

Report gate_vllm_folder(const GateRequest& request, const ResolvedDevice& device,
                        const ReportSink& show, Console& console) {
  const std::string name = vllm_device_name(device.spec.name);
  const VllmFolder folder = files_for(request.suite, name);
  HarnessRunner runner(device, console.err, request.shared, RunnerOptions{});
  console.note((*runner).timer_check());
  const HarnessDescription harness = describe_harness(*runner, *request.harness);
  require_rows_of(harness);
  Rows rows = rows_of(folder, harness);
  keep_chosen_rows(request.cases, request.suite, rows);
  ProgressBar bar(console);
  bar.subject(fs::path(request.suite).filename().string());
  const MeasurePolicy policy{
      .mode = GateMode::Ab, .threshold = request.threshold, .rounds = request.rounds};
  GateRun run = run_measured_gate(rows.cases, *runner, policy, nullptr, bar);
  bar.clear();
  const ExitCode seen = runner.report_disturbances(ExitCode::Good);
  run.verdicts.insert(run.verdicts.end(), rows.unknown.begin(), rows.unknown.end());
  run.notes = notes_of(folder, harness, name);
  Baseline now;
  now.tool_version = kVersion;
  now.mode = GateMode::Ab;
  now.device = fingerprint(device.spec, false);
  now.method = run.method;
  write_outputs(request, now, run, show, console);
  if (!request.history.empty() && seen == ExitCode::Good) {
    append_history(request.history, history_run(request.suite, now.device, run));
  }
  const ExitCode code = gate_exit_code(run);
  return {.code = code == ExitCode::Good ? seen : code};
}

}  // namespace tilewright
