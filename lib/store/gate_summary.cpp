#include "store/gate_summary.hpp"

#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "gate/gate_numbers.hpp"

namespace tilewright {
namespace {

using Replacement = std::pair<char, std::string_view>;

std::string replaced(std::string_view text, std::span<const Replacement> replacements) {
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

// Text inside a cell of a table.
std::string cell(std::string_view text) {
  constexpr Replacement kMarkdown[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"},  {'|', "\\|"},
                                       {'\\', "\\\\"}, {'`', "\\`"},  {'*', "\\*"},   {'_', "\\_"},
                                       {'[', "\\["},   {']', "\\]"},  {'\n', "<br>"}, {'\r', ""}};
  return replaced(text, kMarkdown);
}

// A workflow command ends at the end of its line; its properties at ':' and ','.
std::string message_text(std::string_view text) {
  constexpr Replacement kMessage[] = {{'%', "%25"}, {'\r', "%0D"}, {'\n', "%0A"}};
  return replaced(text, kMessage);
}

std::string property_text(std::string_view text) {
  constexpr Replacement kProperty[] = {
      {'%', "%25"}, {'\r', "%0D"}, {'\n', "%0A"}, {':', "%3A"}, {',', "%2C"}};
  return replaced(text, kProperty);
}

std::string row(const CaseVerdict& v) {
  std::string number = " | | | ";
  if (!v.numbers.empty()) {
    const GateNumber& first = v.numbers.front();
    number = format("{} | {} | {} | {}", cell(first.key), value_text(first, first.now),
                    first.before ? value_text(first, *first.before) : "", change_text(first));
  }
  return format("| {} | {} | {} | {} |\n", cell(to_string(v.verdict)), cell(v.name), number,
                cell(join(v.findings, "\n")));
}

// Empty: nothing to tell.
std::string_view command_of(Verdict verdict) {
  if (is_failure(verdict)) return "error";
  if (verdict == Verdict::New) return "warning";
  return verdict == Verdict::Improved ? "notice" : "";
}

}  // namespace

std::string gate_summary(const std::string& suite, const Baseline& now, const GateRun& run) {
  std::string text =
      format("### tilewright gate: {}\n\n{}; mode {}, {}\n\n", cell(suite),
             count_verdicts(run.verdicts), to_string(run.mode), cell(to_string(now.device)));
  text += "| verdict | case | number | now | baseline | change | findings |\n";
  text += "|---|---|---|---:|---:|---:|---|\n";
  for (const CaseVerdict& verdict : worst_first(run.verdicts)) text += row(verdict);
  for (const std::string& note : run.notes) text += format("\n{}\n", cell(note));
  return text;
}

std::string github_annotations(const std::string& suite, std::span<const CaseVerdict> verdicts) {
  std::string text;
  for (const CaseVerdict& v : worst_first(verdicts)) {
    const std::string_view command = command_of(v.verdict);
    if (command.empty()) continue;
    const std::string title = format("{}: {}", v.name, to_string(v.verdict));
    text += format("::{} file={},title={}::{}\n", command, property_text(suite),
                   property_text(title), message_text(join(v.findings, "\n")));
  }
  return text;
}

}  // namespace tilewright
