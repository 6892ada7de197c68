#include "render/gate_output.hpp"

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
#include "render/gate_formats.hpp"
#include "store/baseline.hpp"
#include "store/gate_json.hpp"

namespace tilewright {

namespace {

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

void write_outputs(const GateRequest& request, const Baseline& now, const GateRun& run,
                   const ReportSink& show, Console& console) {
  Report report{.json = [&] { return gate_json(request.suite, now, run); }};
  const std::string annotations =
      request.annotates ? github_annotations(request.suite, run.verdicts) : "";
  if (request.has_text) {
    report.text = {annotations,
                   gate_report(run.verdicts, run.notes, text_width(console), console.color_out)};
  }
  show(report);
  if (!request.has_text) console.err << annotations;
  if (!request.junit.empty()) {
    put(request.junit, junit_xml(request.suite, run.verdicts), console);
  }
  if (request.summary.empty()) return;
  // A step on GitHub has one summary file; all commands of the step append to it.
  const std::string summary = gate_summary(request.suite, now, run);
  if (request.summary == "-") {
    console.out << summary;
  } else {
    append_file(request.summary, summary);
  }
}

void update_baseline(const GateRequest& request, const Baseline& now, const GateRun& run,
                     Console& console) {
  if (gate_exit_code(run.verdicts) != ExitCode::Good) {
    console.note(format("{} was not written: not every case is good", request.baseline));
    return;
  }
  const bool partial = !request.cases.empty() && request.baseline != "-" &&
                       std::filesystem::exists(request.baseline);
  if (partial) require_comparable(load_baseline(request.baseline), now.mode, now.device);
  const std::string text =
      partial ? with_cases(read_file(request.baseline), request.baseline, now.cases)
              : print_baseline(now);
  put(request.baseline, text, console);
  console.note(format("wrote {}: {} case{}, mode {}, {}", request.baseline, now.cases.size(),
                      now.cases.size() == 1 ? "" : "s", to_string(now.mode),
                      to_string(now.device)));
}

void rerecord(const GateRequest& request, const Baseline& before, const Baseline& now,
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
  put(request.baseline, with_cases(read_file(request.baseline), request.baseline, cases), console);
  for (CaseVerdict& verdict : run.verdicts) {
    if (verdict.verdict != wanted) continue;
    verdict.verdict = Verdict::Changed;
    verdict.findings.push_back("recorded in the baseline");
  }
  console.note(format("wrote {} case{} of {}", cases.size(), cases.size() == 1 ? "" : "s",
                      request.baseline));
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
