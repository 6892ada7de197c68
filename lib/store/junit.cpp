#include "store/junit.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "gate/gate_numbers.hpp"

namespace tilewright {
namespace {

bool is_error(Verdict verdict) {
  return is_failure(verdict) && verdict != Verdict::Regression;
}

// XML 1.0 has no spelling at all for most control characters.
std::string xml_text(const std::string& text) {
  std::string clean = text;
  std::replace_if(
      clean.begin(), clean.end(),
      [](unsigned char c) { return c < 0x20 && c != '\n' && c != '\t'; }, '?');
  return xml_escape(clean);
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
  std::vector<std::string> lines;
  for (const GateNumber& number : verdict.numbers) lines.push_back(to_string(number));
  if (!is_failure(verdict.verdict)) {
    lines.insert(lines.end(), verdict.findings.begin(), verdict.findings.end());
  }
  const std::string out = join(lines, "\n");
  body += format("    <system-out>{}</system-out>\n", xml_text(out));
  return format("  <testcase classname=\"{}\" name=\"{}\">\n{}  </testcase>\n", xml_text(suite),
                xml_text(verdict.name), body);
}

}  // namespace

std::string junit_xml(const std::string& suite, std::span<const CaseVerdict> verdicts) {
  const auto failures = std::count_if(verdicts.begin(), verdicts.end(), [](const CaseVerdict& v) {
    return v.verdict == Verdict::Regression;
  });
  const auto errors = std::count_if(verdicts.begin(), verdicts.end(),
                                    [](const CaseVerdict& v) { return is_error(v.verdict); });
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  xml += format("<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\">\n",
                xml_text(suite), verdicts.size(), failures, errors);
  for (const CaseVerdict& verdict : verdicts) xml += testcase(suite, verdict);
  return xml + "</testsuite>\n";
}

}  // namespace tilewright
