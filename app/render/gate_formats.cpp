#include "render/gate_formats.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/escape.hpp"
#include "base/text.hpp"
#include "gate/gate_numbers.hpp"
#include "record/record_fields.hpp"

namespace tilewright {

namespace {

using Substitute = std::pair<char, std::string_view>;

std::string replaced(std::string_view text, std::span<const Substitute> replacements) {
  std::string result;
  for (const char c : text) {
    std::string_view now(&c, 1);
    for (const auto& [from, to] : replacements) {
      if (c == from) now = to;
    }
    result += now;
  }
  return result;
}

// Applies one_line() to each line.
std::string shown_lines(std::string_view text) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(text, '\n')) lines.push_back(one_line(line));
  return join(lines, "\n");
}

// Escapes text for a workflow command: the command ends at a line break, its properties at ':' and
// ','.
std::string message_text(std::string_view text) {
  constexpr Substitute kMessage[] = {{'%', "%25"}, {'\n', "%0A"}};
  return replaced(shown_lines(text), kMessage);
}

std::string property_text(std::string_view text) {
  constexpr Substitute kProperty[] = {{'%', "%25"}, {'\n', "%0A"}, {':', "%3A"}, {',', "%2C"}};
  return replaced(shown_lines(text), kProperty);
}

// The number that a row shows: the first one that got worse, if any.
const GateNumber& shown_number(const CaseVerdict& v) {
  for (const GateNumber& number : v.numbers) {
    if (!v.worse.empty() && number.key == v.worse.front()) return number;
  }
  return v.numbers.front();
}

std::string row(const CaseVerdict& v) {
  std::string number = " | | | | ";
  if (!v.numbers.empty()) {
    const GateNumber& shown = shown_number(v);
    const auto text = [&shown](const std::optional<double>& value) {
      return value ? value_text(shown, *value) : "";
    };
    number = format("{} | {} | {} | {} | {}", markdown_text(shown.key), text(shown.recorded),
                    text(shown.baseline_today), text(shown.now), change_text(shown));
  }
  return format("| {} | {} | {} | {} |\n", markdown_text(to_string(v.verdict)),
                markdown_text(v.name), number, markdown_text(join(v.findings, "\n")));
}

// Returns an empty string for a verdict that needs no annotation.
std::string_view command_of(Verdict verdict) {
  if (is_failure(verdict)) return "error";
  if (verdict == Verdict::New || verdict == Verdict::Waived) return "warning";
  return verdict == Verdict::Improved ? "notice" : "";
}

bool is_error(Verdict verdict) {
  return is_failure(verdict) && verdict != Verdict::Regression;
}

// XML 1.0 cannot represent most control characters, nor U+FFFE.
std::string xml_text(std::string_view text) {
  return xml_escape(shown_lines(text));
}

std::string testcase(const std::string& suite, const CaseVerdict& verdict) {
  std::string body;
  const std::string findings = join(verdict.findings, "\n");
  const bool error = is_error(verdict.verdict);
  if (is_failure(verdict.verdict)) {
    const char* const element = error ? "error" : "failure";
    const std::string first = verdict.findings.empty() ? "" : verdict.findings.front();
    body += format("    <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n", element,
                   to_string(verdict.verdict), xml_text(first), xml_text(findings));
  }
  if (verdict.verdict == Verdict::Waived) {
    body += format("    <skipped message=\"{}\"/>\n", xml_text(findings));
  }
  std::vector<std::string> lines;
  for (const GateNumber& number : verdict.numbers) lines.push_back(to_string(number));
  if (!is_failure(verdict.verdict)) {
    lines.insert(lines.end(), verdict.findings.begin(), verdict.findings.end());
  }
  const std::string out = join(lines, "\n");
  body += format("    <system-out>{}</system-out>\n", xml_text(out));
  return format("  <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">\n{}  </testcase>\n",
                xml_text(suite), xml_text(verdict.name), verdict.seconds, body);
}

}  // namespace

std::string gate_summary(const std::string& suite, const Baseline& now, const GateRun& run) {
  std::string text = format("### tilewright gate: {}\n\n{}; mode {}, {}\n\n", markdown_text(suite),
                            count_verdicts(run.verdicts), to_string(run.mode),
                            markdown_text(to_string(now.device)));
  text += "| verdict | case | number | recorded | baseline today | now | change | findings |\n";
  text += "|---|---|---|---:|---:|---:|---:|---|\n";
  for (const CaseVerdict& verdict : worst_first(run.verdicts)) text += row(verdict);
  for (const std::string& note : run.notes) text += format("\n{}\n", markdown_text(note));
  if (!run.nothing_compared.empty()) text += format("\n{}\n", markdown_text(run.nothing_compared));
  return text;
}

std::string github_annotations(const std::string& suite, std::span<const CaseVerdict> verdicts) {
  std::string text;
  for (const CaseVerdict& v : worst_first(verdicts)) {
    const std::string_view command = command_of(v.verdict);
    if (command.empty()) continue;
    const std::string title = format("{}: {}", v.name, to_string(v.verdict));
    const std::string line = v.line > 0 ? format(",line={}", v.line) : "";
    text += format("::{} file={}{},title={}::{}\n", command, property_text(suite), line,
                   property_text(title), message_text(join(v.findings, "\n")));
  }
  return text;
}

std::string junit_xml(const std::string& suite, std::span<const CaseVerdict> verdicts) {
  const auto failures = std::count_if(verdicts.begin(), verdicts.end(), [](const CaseVerdict& v) {
    return v.verdict == Verdict::Regression;
  });
  const auto errors = std::count_if(verdicts.begin(), verdicts.end(),
                                    [](const CaseVerdict& v) { return is_error(v.verdict); });
  const auto skipped = std::count_if(verdicts.begin(), verdicts.end(), [](const CaseVerdict& v) {
    return v.verdict == Verdict::Waived;
  });
  double seconds = 0;
  for (const CaseVerdict& verdict : verdicts) seconds += verdict.seconds;
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  xml += format(
      "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" "
      "time=\"{:.3f}\">\n",
      xml_text(suite), verdicts.size(), failures, errors, skipped, seconds);
  for (const CaseVerdict& verdict : verdicts) xml += testcase(suite, verdict);
  return xml + "</testsuite>\n";
}

}  // namespace tilewright
