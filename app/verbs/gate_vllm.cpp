#include "verbs/gate_vllm.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "exchange/vllm_audit.hpp"
#include "exchange/vllm_file.hpp"
#include "exchange/vllm_product.hpp"
#include "gate/gate_measured.hpp"
#include "host/harness_files.hpp"
#include "render/gate_output.hpp"
#include "render/progress_bar.hpp"
#include "store/suite.hpp"
#include "verbs/gate_trend.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

// The types of a file's products, with the scales that the harness takes; in `why_not` why it takes
// none of them.
ProductKind kind_for(const HarnessDescription& harness, const VllmFile& file,
                     std::string& why_not) {
  const std::vector<std::string>& types = harness.takes.dtypes;
  std::optional<ProductKind> kind = kind_of(file.name, scales_among(harness.takes.epilogue));
  if (!kind) {
    why_not = format("harness {} takes no products with the operands and scales of {}",
                     harness.name, product_text(file.name));
    return {};
  }
  // The files of experts are for both types of 16 bits.
  const auto takes = [&types](std::string_view type) {
    return std::find(types.begin(), types.end(), type) != types.end();
  };
  if (kind->dtype == DataType::BF16 && !takes("bf16") && takes("f16")) kind->dtype = DataType::F16;
  return *kind;
}

// The rows of the files, the verdicts on those that the harness does not have, and why it does not
// take some files.
struct Rows {
  std::vector<GateCase> cases;
  std::vector<CaseVerdict> unknown;
  std::vector<std::string> not_taken;
};

void add_row(const HarnessDescription& harness, const VllmFile& file, const VllmRow& row,
             Workload product, Rows& rows) {
  GateCase made{.name = format("{},M={}", product_text(file.name), row.m),
                .problem = std::move(product),
                .config = {},
                .why_illegal = {}};
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
  const std::optional<std::vector<AxisValue>> plain = plain_values(row);
  for (AxisValue& value : wanted.values) {
    const auto in_row = std::find_if(row.values.begin(), row.values.end(),
                                     [&](const AxisValue& v) { return v.axis == value.axis; });
    value.value = in_row->value;
  }
  made.foreign = wanted;
  if (plain && std::any_of(legal.begin(), legal.end(), is_same)) {
    rows.cases.push_back(std::move(made));
    return;
  }
  rows.unknown.push_back(early_verdict(
      made.name, Verdict::Environment,
      format("{}:{}: harness {} has no config {}: compile it, and add it to the configs", file.path,
             row.line, harness.name, to_string(row.values))));
}

// Adds the file's rows, or why the harness does not take it.
void add_file(const HarnessDescription& harness, const VllmFile& file, const ExpertsLayer& layer,
              Rows& rows) {
  std::string why;
  const ProductKind kind = kind_for(harness, file, why);
  if (why.empty() && file.name.experts > 0 && !harness.takes.groups) {
    why = format("harness {} takes one product a launch, not a group", harness.name);
  }
  const auto product = [&](int64_t m) { return row_product(file.name, m, layer, kind); };
  if (why.empty()) why = why_not_taken(harness, product(file.rows.front().m));
  if (!why.empty()) {
    rows.not_taken.push_back(why);
    return;
  }
  for (const VllmRow& row : file.rows) add_row(harness, file, row, product(row.m), rows);
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

std::string skipped_text(size_t count, const std::string& why) {
  return format("skipped {} file{} {}", count, count == 1 ? "" : "s", why);
}

// The folder's files that no case is about.
std::vector<std::string> skipped_notes(const VllmFolder& folder, const std::string& device) {
  std::vector<std::string> notes;
  if (!folder.others.empty()) {
    notes.push_back(
        skipped_text(folder.others.size(), format("for other devices than {}", device)));
  }
  if (!folder.skipped.empty()) {
    notes.push_back(skipped_text(
        folder.skipped.size(),
        format("of another form than N=..,K=..,device_name=..,dtype=fp8_w8a8,block_shape=[128,128]"
               ".json and E=..,N=..,device_name=...json, such as {}",
               folder.skipped.front())));
  }
  return notes;
}

std::vector<std::string> notes_of(const VllmFolder& folder, const HarnessDescription& harness,
                                  const Rows& rows) {
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
  if (!rows.not_taken.empty()) {
    notes.push_back(skipped_text(rows.not_taken.size(), "because " + rows.not_taken.front()));
  }
  return notes;
}

VllmFolder files_for(const std::string& path, const std::string& device) {
  VllmFolder folder = load_vllm_folder(path, device);
  if (!folder.files.empty()) return folder;
  if (folder.others.empty()) {
    throw usage_error(format("'{}' has no file of the form {}", path,
                             to_string(VllmFileName{.n = 7168, .k = 2048, .device = device})));
  }
  std::set<std::string> others;
  for (const VllmFileName& file : folder.others) others.insert(file.device);
  throw environment_error(
      format("the files of '{}' are for {}, and this device is {}: here no stack looks them up",
             path, join(std::vector<std::string>(others.begin(), others.end()), ", "), device));
}

// Throws a usage error where the harness takes none of the files.
Rows rows_of(const VllmFolder& folder, const HarnessDescription& harness,
             const ExpertsLayer& layer) {
  Rows rows;
  for (const VllmFile& file : folder.files) add_file(harness, file, layer, rows);
  if (rows.not_taken.size() == folder.files.size()) throw usage_error(rows.not_taken.front());
  return rows;
}

// Products that only other devices have a file for: this device's stack launches the default config
// for them.
std::string only_elsewhere_note(const VllmFolder& folder) {
  constexpr size_t kMaxShown = 4;
  std::set<std::string> products;
  for (const VllmFileName& file : folder.others) products.insert(product_text(file));
  for (const VllmFile& file : folder.files) products.erase(product_text(file.name));
  if (products.empty()) return "";
  std::vector<std::string> shown(products.begin(), products.end());
  const size_t more = shown.size() - std::min(shown.size(), kMaxShown);
  shown.resize(shown.size() - more);
  return format("only other devices have files for {}{}", join(shown, ", "),
                more == 0 ? "" : format(" and {} more", more));
}

Baseline numbers_of(const DeviceSpec& device, bool is_preset, const GateRun& run) {
  Baseline now;
  now.tool_version = kVersion;
  now.mode = run.mode;
  now.device = fingerprint(device, is_preset);
  now.method = run.method;
  return now;
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
  Rows rows = rows_of(folder, harness, {.hidden = request.hidden, .top_k = request.top_k});
  keep_chosen_rows(request.cases, request.suite, rows);
  ProgressBar bar(console);
  bar.subject(fs::path(request.suite).filename().string());
  const MeasurePolicy policy{
      .mode = GateMode::Ab, .threshold = request.threshold, .rounds = request.rounds};
  GateRun run = run_measured_gate(rows.cases, *runner, policy, nullptr, bar);
  bar.clear();
  const ExitCode seen = runner.report_disturbances(ExitCode::Good);
  run.verdicts.insert(run.verdicts.end(), rows.unknown.begin(), rows.unknown.end());
  run.notes = notes_of(folder, harness, rows);
  for (std::string& note : skipped_notes(folder, name)) run.notes.push_back(std::move(note));
  const Baseline now = numbers_of(device.spec, false, run);
  write_outputs(request, now, run, show, console);
  if (!request.history.empty() && seen == ExitCode::Good) {
    append_history(request.history, history_run(request.suite, now.device, run));
  }
  const ExitCode code = gate_exit_code(run);
  return {.code = code == ExitCode::Good ? seen : code};
}

Report audit_vllm_folder(const GateRequest& request, const ResolvedDevice& device,
                         const ReportSink& show, Console& console) {
  if (is_host(device)) {
    throw usage_error(
        "the audit of a folder needs a GPU's limits: give --device a GPU or a preset");
  }
  const std::string name = vllm_device_name(device.spec.name);
  const VllmFolder folder = files_for(request.suite, name);
  Rows rows;
  rows.unknown = audit_vllm(folder, device.spec);
  keep_chosen_rows(request.cases, request.suite, rows);
  GateRun run;
  run.mode = GateMode::Static;
  run.verdicts = std::move(rows.unknown);
  run.notes = skipped_notes(folder, name);
  const std::string note = only_elsewhere_note(folder);
  if (!note.empty()) run.notes.push_back(note);
  const Baseline now = numbers_of(device.spec, device.gpu_index < 0, run);
  write_outputs(request, now, run, show, console);
  if (!request.history.empty()) {
    append_history(request.history, history_run(request.suite, now.device, run));
  }
  return {.code = gate_exit_code(run)};
}

}  // namespace tilewright
