#include "console.hpp"

#include "base/escape.hpp"
#include "base/text.hpp"

namespace tilewright {

void Console::say(std::string_view sentence) const {
  // One write: ranks that share a terminal must not break each other's lines.
  err << log_line(one_line(sentence)) + '\n' << std::flush;
}

void Console::say(const std::vector<std::string>& sentences) const {
  for (const std::string& sentence : sentences) say(sentence);
}

std::vector<CheckExpression> parse_checks(const std::vector<std::string>& texts) {
  std::vector<CheckExpression> checks;
  checks.reserve(texts.size());
  for (const std::string& text : texts) checks.push_back(parse_check_expression(text));
  return checks;
}

void add_fault(const std::string& name, const std::string& fault,
               std::vector<std::string>& violated) {
  if (!fault.empty()) violated.push_back(format("{} is broken: {}", name, fault));
}

ExitCode report_violations(const std::vector<std::string>& violated, Console& console) {
  console.out.flush();
  for (const std::string& sentence : violated) console.say("tilewright: " + sentence);
  return violated.empty() ? ExitCode::Good : ExitCode::No;
}

}  // namespace tilewright
