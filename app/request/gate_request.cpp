#include "request/gate_request.hpp"

#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "host/output_files.hpp"
#include "store/baseline.hpp"
#include "store/gate_history.hpp"

namespace tilewright {
namespace {

bool writes_baseline(const GateOptions& o) {
  return o.update || o.promote || o.accept_model;
}

// The files that the options write; "-" stands for standard output.
std::vector<NamedFile> outputs_of(const GateOptions& o) {
  std::vector<NamedFile> outputs;
  if (writes_baseline(o)) outputs.push_back({"--baseline", o.baseline});
  if (!o.junit.empty()) outputs.push_back({"--junit", o.junit});
  if (!o.summary.empty()) outputs.push_back({"--summary", o.summary});
  if (!o.history.empty()) outputs.push_back({"--history", o.history});
  return outputs;
}

std::vector<NamedFile> inputs_of(const GateOptions& o) {
  std::vector<NamedFile> inputs = {{"SUITE", o.suite}};
  if (!writes_baseline(o) && !o.baseline.empty()) inputs.push_back({"--baseline", o.baseline});
  if (!o.from.empty()) inputs.push_back({"--from", o.from});
  return inputs;
}

// The outputs that go to standard output instead of the text report; may be empty.
std::vector<std::string> claims_on_stdout(const GateOptions& o,
                                          const std::vector<NamedFile>& outputs) {
  std::vector<std::string> claims;
  if (o.format == Format::Json) claims.push_back("--format json");
  for (const NamedFile& output : outputs) {
    if (output.path == "-") claims.push_back(output.role + " -");
  }
  return claims;
}

// True for the beginning of an XML text.
bool is_xml(std::string_view text) {
  return trim(text).starts_with('<');
}

// Returns whether the text report goes to standard output. A summary is appended to whatever its
// file holds.
bool check_outputs(const GateOptions& o) {
  const std::vector<NamedFile> outputs = outputs_of(o);
  const std::vector<std::string> claims = claims_on_stdout(o, outputs);
  if (claims.size() > 1) {
    throw usage_error(
        format("standard output takes one document, not {}: name a file for the others",
               join(claims, " and ")));
  }
  for (const NamedFile& output : outputs) require_writable(output.path);
  require_distinct(outputs, inputs_of(o));
  if (writes_baseline(o)) {
    require_own_schema({"--baseline", o.baseline}, "a baseline", kBaselineSchema);
  }
  require_own({"--junit", o.junit}, "an XML report", is_xml);
  require_own_schema({"--history", o.history}, "a history of gate runs", kHistorySchema);
  return claims.empty();
}

double threshold_of(const GateOptions& o) {
  const double threshold = o.threshold_pct.value_or(1) / 100;
  if (threshold > 0 && threshold < 1) return threshold;
  throw usage_error(
      format("--threshold {} is not a percentage between 0 and 100", 100 * threshold));
}

// True for a folder; false also where the path cannot be looked up, so that reading it reports the
// reason.
bool is_folder(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

void require_folder_options(const GateOptions& o) {
  if (!is_folder(o.suite)) {
    throw usage_error(
        format("--harness is for a folder of vLLM's files, and '{}' is none; the cases of a suite "
               "name theirs with `harness`",
               o.suite));
  }
  const std::pair<bool, const char*> left_out[] = {{!o.baseline.empty(), "--baseline"},
                                                   {!o.against_build.empty(), "--against-build"},
                                                   {o.update, "--update"},
                                                   {o.self_check, "--self-check"},
                                                   {o.promote, "--promote"},
                                                   {o.accept_model, "--accept-model"},
                                                   {o.allow_new, "--allow-new"},
                                                   {!o.from.empty(), "--from"},
                                                   {o.mode.has_value(), "--mode"}};
  for (const auto& [is_given, name] : left_out) {
    if (is_given) throw usage_error(format("a gate of a folder takes no {}: omit it", name));
  }
  if ((o.hidden > 0) != (o.top_k > 0)) {
    throw usage_error("--hidden and --top-k describe a layer of experts together: give both");
  }
}

void require_suite_options(const GateOptions& o) {
  if (o.hidden > 0 || o.top_k > 0) {
    throw usage_error("--hidden and --top-k are for a folder of vLLM's files: omit them");
  }
  if (o.update && (o.promote || o.accept_model)) {
    throw usage_error("--update records every case: omit --promote and --accept-model");
  }
  if (o.self_check && o.update) {
    throw usage_error("--self-check uses no baseline: omit --update");
  }
  if (!o.against_build.empty() && o.mode != GateMode::Ab) {
    throw usage_error(
        "--against-build names the harness builds that --mode ab compares with: add --mode ab");
  }
  const bool needs_none =
      o.self_check || !o.against_build.empty() || (o.mode == GateMode::Reference && !o.update);
  if (o.baseline.empty() && !needs_none) {
    throw usage_error(
        "a gate compares with a baseline: add --baseline FILE, which --update writes");
  }
}

}  // namespace

std::optional<GateMode> parse_gate_mode(const std::string& name) {
  if (name == kGateModes[0]) return std::nullopt;
  if (name == "gpu") return GateMode::Baseline;  // the mode's former name
  for (const GateMode known :
       {GateMode::Static, GateMode::Baseline, GateMode::Ab, GateMode::Reference}) {
    if (name == to_string(known)) return known;
  }
  throw usage_error(
      format("unknown mode '{}'{}; --mode takes {}", name, did_you_mean(name, kGateModes),
             join(std::vector<std::string>(std::begin(kGateModes), std::end(kGateModes)), ", ")));
}

bool parse_annotations(const std::string& name) {
  if (name == kAnnotations[0]) return true;
  throw usage_error(format("--annotations '{}'{}; it takes {}", name,
                           did_you_mean(name, kAnnotations), kAnnotations[0]));
}

GateMode parse_bisect_mode(const std::string& name) {
  for (const GateMode mode : {GateMode::Static, GateMode::Ab}) {
    if (name == to_string(mode)) return mode;
  }
  throw usage_error(format("bisect --mode '{}': static or {}", name, to_string(GateMode::Ab)));
}

std::string parse_bisect_program(const std::string& path) {
  const std::filesystem::path normal = std::filesystem::path(path).lexically_normal();
  if (normal.is_relative() && (normal.empty() || *normal.begin() == "..")) {
    throw usage_error(format("--program '{}' is outside of the worktree", path));
  }
  return path;
}

TrendExport parse_trend_export(const std::string& name) {
  for (size_t i = 0; i < std::size(kTrendExports); ++i) {
    if (name == kTrendExports[i]) return static_cast<TrendExport>(i);
  }
  throw usage_error(
      format("--export '{}'{}; it takes otava or bmf", name, did_you_mean(name, kTrendExports)));
}

GateRequest read_gate(const GateOptions& o) {
  GateRequest request;
  static_cast<GateSettings&>(request) = o;
  request.is_folder = !o.harness.empty() || is_folder(o.suite);
  if (request.is_folder) {
    require_folder_options(o);
    if (!o.harness.empty()) request.harness = parse_harness_request(o.harness);
  } else {
    require_suite_options(o);
  }
  request.threshold = threshold_of(o);
  request.overrides_thresholds = o.threshold_pct.has_value();
  request.has_text = check_outputs(o);
  if (request.harness) require_file(*request.harness);
  return request;
}

}  // namespace tilewright
