#include "gate_report.hpp"

#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "gate/gate_numbers.hpp"

namespace tilewright {
namespace {

constexpr size_t kVerdictWidth = 14;  // the longest and two blanks
constexpr size_t kNarrowIndent = 4;
constexpr size_t kLeastRoom = 36;  // for findings beside the name; else they stand below it

const char* color_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Regression:
    case Verdict::WrongResult: return "\x1b[31m";
    case Verdict::New:
    case Verdict::Inconclusive:
    case Verdict::Environment: return "\x1b[33m";
    default: return "\x1b[32m";
  }
}

// As many numbers, from the first on, as stand on one line.
std::string numbers_line(const CaseVerdict& verdict, size_t room) {
  std::string line;
  for (const GateNumber& number : verdict.numbers) {
    const bool bytes = number.key.ends_with("_bytes");
    std::string next = format("{} {}", number.key,
                              bytes ? human_bytes(number.now) : value_text(number, number.now));
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
      for (std::string& line : wrap(paragraph, room)) lines.push_back(std::move(line));
    }
  }
  return lines;
}

std::string painted(const std::string& line, Verdict verdict, bool color) {
  const size_t word = to_string(verdict).size();
  return color ? color_of(verdict) + line.substr(0, word) + "\x1b[0m" + line.substr(word) : line;
}

}  // namespace

std::string gate_report(std::span<const CaseVerdict> verdicts, std::span<const std::string> notes,
                        size_t width, bool color) {
  size_t name_width = 0;
  for (const CaseVerdict& v : verdicts) name_width = std::max(name_width, v.name.size());
  size_t indent = kVerdictWidth + name_width + 2;
  const bool beside = indent + kLeastRoom <= width;
  if (!beside) indent = kNarrowIndent;
  const size_t room = width > indent ? width - indent : 1;
  std::string text;
  for (const CaseVerdict& v : worst_first(verdicts)) {
    std::string head = format("{:<{}}{}", to_string(v.verdict), kVerdictWidth, v.name);
    std::vector<std::string> details = detail_lines(v, room);
    if (beside && !details.front().empty()) {
      head = format("{:<{}}{}", head, indent, details.front());
      details.erase(details.begin());
    }
    std::vector<std::string> lines = wrap(head, width);
    lines.front() = painted(lines.front(), v.verdict, color);
    for (const std::string& line : lines) text += line + '\n';
    for (const std::string& line : details) {
      if (!line.empty()) text += format("{:{}}{}\n", "", indent, line);
    }
  }
  for (const std::string& note : notes) {
    for (const std::string& line : wrap(note, width)) text += line + '\n';
  }
  for (const std::string& line : wrap(count_verdicts(verdicts), width)) text += line + '\n';
  return text;
}

}  // namespace tilewright
