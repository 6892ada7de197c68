#include "gate_output.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/escape.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "gate/gate.hpp"
#include "gate/gate_numbers.hpp"
#include "output_files.hpp"
#include "store/baseline.hpp"
#include "store/gate_formats.hpp"
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
std::vector<std::string> claims_on_stdout(const GateOptions& o) {
  std::vector<std::string> claims;
  if (o.format == Format::Json) claims.push_back("--format json");
  for (const NamedFile& output : outputs_of(o)) {
    if (output.path == "-") claims.push_back(output.role + " -");
  }
  return claims;
}

// True for the beginning of an XML text.
bool is_xml(std::string_view text) {
  return trim(text).starts_with('<');
}

// A summary is appended to whatever its file holds.
void require_own_outputs(const GateOptions& o) {
  if (writes_baseline(o)) {
    require_own_schema({"--baseline", o.baseline}, "a baseline", kBaselineSchema);
  }
  require_own({"--junit", o.junit}, "an XML report", is_xml);
  require_own_schema({"--history", o.history}, "a history of gate runs", kHistorySchema);
}

// Columns of a report line: the terminal's width, or what a log shows without wrapping.
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

constexpr size_t kVerdictWidth = 14;  // the longest verdict and two blanks
constexpr size_t kNarrowIndent = 4;
constexpr size_t kMinRoom = 36;  // for findings beside the name; with less they stand below it

const char* color_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Regression:
    case Verdict::Internal:
    case Verdict::WrongResult: return "\x1b[31m";
    case Verdict::New:
    case Verdict::Waived:
    case Verdict::ModelChanged:
    case Verdict::Inconclusive:
    case Verdict::Environment: return "\x1b[33m";
    default: return "\x1b[32m";
  }
}

// The first numbers, as many as fit on one line.
std::string numbers_line(const CaseVerdict& verdict, size_t room) {
  std::string line;
  for (const GateNumber& number : verdict.numbers) {
    std::string next = format("{} {}", number.key, value_text(number, number.now));
    if (!line.empty()) next = format("{}, {}", line, next);
    if (next.size() > room) break;
    line = next;
  }
  return line;
}

std::vector<std::string> detail_lines(const CaseVerdict& verdict, size_t room) {
  if (verdict.findings.empty()) return {numbers_line(verdict, room)};
  std::vector<std::string> lines;
  for (const std::string& finding : verdict.findings) {
    for (const std::string_view paragraph : split(finding, '\n')) {
      for (std::string& line : wrap(one_line(paragraph), room)) lines.push_back(std::move(line));
    }
  }
  return lines;
}

std::string painted(const std::string& line, Verdict verdict, bool color) {
  const size_t word = to_string(verdict).size();
  return color ? color_of(verdict) + line.substr(0, word) + "\x1b[0m" + line.substr(word) : line;
}

}  // namespace

void check_outputs(const GateOptions& options) {
  const std::vector<std::string> claims = claims_on_stdout(options);
  if (claims.size() > 1) {
    throw usage_error(
        format("standard output takes one document, not {}: name a file for the others",
               join(claims, " and ")));
  }
  for (const NamedFile& output : outputs_of(options)) require_writable(output.path);
  require_distinct(outputs_of(options), inputs_of(options));
  require_own_outputs(options);
  if (options.annotations.empty() || options.annotations == kAnnotations[0]) return;
  throw usage_error(format("--annotations '{}'{}; it takes {}", options.annotations,
                           did_you_mean(options.annotations, kAnnotations), kAnnotations[0]));
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
    // A step on GitHub has one summary file; all commands of the step append to it.
    const std::string summary = gate_summary(options.suite, now, run);
    if (options.summary == "-") {
      console.out << summary;
    } else {
      append_file(options.summary, summary);
    }
  }
}

void update_baseline(const GateOptions& options, const Baseline& now, const GateRun& run,
                     Console& console) {
  if (gate_exit_code(run.verdicts) != ExitCode::Good) {
    console.note(format("{} was not written: not every case is good", options.baseline));
    return;
  }
  const bool partial = !options.cases.empty() && options.baseline != "-" &&
                       std::filesystem::exists(options.baseline);
  if (partial) require_comparable(load_baseline(options.baseline), now.mode, now.device);
  const std::string text =
      partial ? with_cases(read_file(options.baseline), options.baseline, now.cases)
              : print_baseline(now);
  put(options.baseline, text, console);
  console.note(format("wrote {}: {} case{}, mode {}, {}", options.baseline, now.cases.size(),
                      now.cases.size() == 1 ? "" : "s", to_string(now.mode),
                      to_string(now.device)));
}

void rerecord(const GateOptions& options, const Baseline& before, const Baseline& now,
              Verdict wanted, GateRun& run, Console& console) {
  std::vector<CaseNumbers> cases;
  for (CaseVerdict& verdict : run.verdicts) {
    if (verdict.verdict != wanted) continue;
    CaseNumbers numbers = *find_case(&now, verdict.name);
    const CaseNumbers* const old = find_case(&before, verdict.name);
    // Register counts are comparable only with the compiler that the baseline names.
    if (numbers.exact && before.compiler.empty()) numbers.exact->compiled.reset();
    if (numbers.exact && !numbers.exact->compiled) {
      numbers.exact->compiled = old->exact->compiled;
    }
    cases.push_back(std::move(numbers));
  }
  if (cases.empty()) return;
  put(options.baseline, with_cases(read_file(options.baseline), options.baseline, cases), console);
  for (CaseVerdict& verdict : run.verdicts) {
    if (verdict.verdict != wanted) continue;
    verdict.verdict = Verdict::Changed;
    verdict.findings.push_back("recorded in the baseline");
  }
  console.note(format("wrote {} case{} of {}", cases.size(), cases.size() == 1 ? "" : "s",
                      options.baseline));
}

std::string gate_report(std::span<const CaseVerdict> verdicts, std::span<const std::string> notes,
                        size_t width, bool color) {
  size_t name_width = 0;
  for (const CaseVerdict& v : verdicts) name_width = std::max(name_width, one_line(v.name).size());
  size_t indent = kVerdictWidth + name_width + 2;
  const bool beside = indent + kMinRoom <= width;
  if (!beside) indent = kNarrowIndent;
  const size_t room = width > indent ? width - indent : 1;
  std::string text;
  for (const CaseVerdict& v : worst_first(verdicts)) {
    std::string head = format("{:<{}}{}", to_string(v.verdict), kVerdictWidth, one_line(v.name));
    std::vector<std::string> details = detail_lines(v, room);
    if (beside && !details.front().empty()) {
      head = format("{:<{}}{}", head, indent, details.front());
      details.erase(details.begin());
    }
    std::vector<std::string> lines = wrap(head, width);
    lines.front() = painted(lines.front(), v.verdict, color);
    for (const std::string& line : lines) text += log_line(line) + '\n';
    for (const std::string& line : details) {
      if (!line.empty()) text += format("{:{}}{}\n", "", indent, log_line(line));
    }
  }
  for (const std::string& note : notes) {
    for (const std::string& line : wrap(one_line(note), width)) text += log_line(line) + '\n';
  }
  for (const std::string& line : wrap(count_verdicts(verdicts), width)) text += line + '\n';
  return text;
}

}  // namespace tilewright
