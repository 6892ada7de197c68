#include "host/console.hpp"

#include "base/escape.hpp"
#include "base/text.hpp"

namespace tilewright {

namespace {

// The longest prefix of at most `bytes` bytes that splits no UTF-8 character.
std::string_view head_of(std::string_view text, size_t bytes) {
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xc0U) == 0x80) --bytes;
  return text.substr(0, bytes);
}

std::string_view tail_of(std::string_view text, size_t bytes) {
  return text.substr(head_of(text, text.size() - bytes).size());
}

}  // namespace

Console beside_document(const std::string& path, const Console& console) {
  if (path != "-") return console;
  return {.out = console.err,
          .err = console.err,
          .color_out = console.color_out,
          .terminal_out = console.terminal_out,
          .terminal_err = console.terminal_err,
          .width = console.width};
}

std::string error_text(std::string_view what, ExitCode code) {
  constexpr size_t kHead = 600;
  constexpr size_t kTail = 300;
  const bool of_input = code == ExitCode::Usage || code == ExitCode::Environment;
  std::string text;
  if (of_input) {
    text = log_line(one_line(what));
    if (text.size() > 2 * (kHead + kTail)) {
      text = format("{} ... {}", head_of(text, kHead), tail_of(text, kTail));
    }
  } else {
    std::vector<std::string> lines;
    for (const std::string_view line : split(what, '\n')) {
      lines.push_back(log_line(one_line(line)));
    }
    text = join(lines, "\n");
  }
  return format("tilewright: {}\n", text);
}

void Console::note(std::string_view sentence) const {
  // One write: ranks that share a terminal must not break each other's lines.
  err << log_line(one_line(sentence)) + '\n' << std::flush;
}

void Console::note(const std::vector<std::string>& sentences) const {
  for (const std::string& sentence : sentences) note(sentence);
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
  for (const std::string& sentence : violated) console.note("tilewright: " + sentence);
  return violated.empty() ? ExitCode::Good : ExitCode::No;
}

}  // namespace tilewright
