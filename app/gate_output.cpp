#include "gate_output.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"
#include "gate_report.hpp"
#include "store/baseline.hpp"
#include "store/gate_json.hpp"
#include "store/gate_summary.hpp"
#include "store/junit.hpp"

namespace tilewright {
namespace {

struct NamedFile {
  std::string role;  // "--junit"
  std::string path;
};

// The files that the options write; "-" among them is standard output.
std::vector<NamedFile> outputs_of(const GateOptions& o) {
  std::vector<NamedFile> outputs;
  if (o.update) outputs.push_back({"--baseline", o.baseline});
  if (!o.junit.empty()) outputs.push_back({"--junit", o.junit});
  if (!o.summary.empty()) outputs.push_back({"--summary", o.summary});
  return outputs;
}

std::vector<NamedFile> inputs_of(const GateOptions& o) {
  std::vector<NamedFile> inputs = {{"SUITE", o.suite}};
  if (!o.update && !o.baseline.empty()) inputs.push_back({"--baseline", o.baseline});
  if (!o.from.empty()) inputs.push_back({"--from", o.from});
  return inputs;
}

// What claims standard output beside the text report; empty: nothing.
std::vector<std::string> claims_on_stdout(const GateOptions& o) {
  std::vector<std::string> claims;
  if (o.format == Format::Json) claims.push_back("--format json");
  for (const NamedFile& output : outputs_of(o)) {
    if (output.path == "-") claims.push_back(output.role + " -");
  }
  return claims;
}

bool same_file(const std::string& a, const std::string& b) {
  if (!is_replaceable(a) || !is_replaceable(b)) return false;
  return std::filesystem::weakly_canonical(a) == std::filesystem::weakly_canonical(b);
}

void require_distinct(const GateOptions& options) {
  const std::vector<NamedFile> outputs = outputs_of(options);
  for (size_t i = 0; i < outputs.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (!same_file(outputs[i].path, outputs[j].path)) continue;
      throw usage_error(format("{} and {} would both write '{}': give each a file of its own",
                               outputs[j].role, outputs[i].role, outputs[i].path));
    }
    for (const NamedFile& input : inputs_of(options)) {
      if (!same_file(outputs[i].path, input.path)) continue;
      throw usage_error(format("{} would overwrite '{}', which is {}: write another file",
                               outputs[i].role, outputs[i].path, input.role));
    }
  }
}

// Of a line of the report: the terminal's, or what a log shows without wrapping.
size_t text_width(const Console& console) {
  constexpr size_t kLogWidth = 100;
  return console.terminal_err ? static_cast<size_t>(std::max(console.width, 1)) : kLogWidth;
}

void put(const std::string& path, const std::string& content, Console& console) {
  if (path == "-") {
    console.out << content;
  } else {
    write_file(path, content);
  }
}

}  // namespace

void check_outputs(const GateOptions& options) {
  const std::vector<std::string> claims = claims_on_stdout(options);
  if (claims.size() > 1) {
    throw usage_error(
        format("only one thing goes to standard output, not {}: name a file for the others",
               join(claims, " and ")));
  }
  for (const NamedFile& output : outputs_of(options)) require_writable(output.path);
  require_distinct(options);
  if (options.annotations.empty() || options.annotations == "github") return;
  constexpr std::string_view kKnown[] = {"github"};
  throw usage_error(format("--annotations '{}'{}; known is github", options.annotations,
                           did_you_mean(options.annotations, kKnown)));
}

void write_outputs(const GateOptions& options, const Baseline& now, const GateRun& run,
                   Console& console) {
  const bool text = claims_on_stdout(options).empty();
  if (options.format == Format::Json) console.out << gate_json(options.suite, now, run);
  if (!options.annotations.empty()) {
    (text ? console.out : console.err) << github_annotations(options.suite, run.verdicts);
  }
  if (text) {
    console.out << gate_report(run.verdicts, run.notes, text_width(console), console.color_out);
  }
  if (!options.junit.empty()) {
    put(options.junit, junit_xml(options.suite, run.verdicts), console);
  }
  if (!options.summary.empty()) {
    put(options.summary, gate_summary(options.suite, now, run), console);
  }
}

void update_baseline(const GateOptions& options, const Baseline& now, const GateRun& run,
                     Console& console) {
  if (gate_exit_code(run.verdicts) != ExitCode::Good) {
    console.err << format("{} was not written: not every case is good\n", options.baseline);
    return;
  }
  put(options.baseline, print_baseline(now), console);
  console.err << format("wrote {}: {} case{}, mode {}, {}\n", options.baseline, now.cases.size(),
                        now.cases.size() == 1 ? "" : "s", to_string(now.mode),
                        to_string(now.device));
}

}  // namespace tilewright
