// Where a verb's words go: results to `out`, talk and progress to `err`.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/check_expression.hpp"
#include "base/error.hpp"

namespace tilewright {

enum class Format { Text, Json, Csv };

inline constexpr std::string_view kFormats[] = {"text", "json", "csv"};

struct Console {
  std::ostream& out;
  std::ostream& err;
  bool color_out = false;     // colour on `out`
  bool terminal_out = false;  // `out` is a terminal: tables fit its width
  bool terminal_err = false;  // `err` is a terminal: a progress bar may redraw its line
  int width = 80;             // columns of that terminal

  /// One line on `err`, whatever a file's or a problem's name in it holds.
  void say(std::string_view sentence) const;
  void say(const std::vector<std::string>& sentences) const;
};

/// What the program says of an error on stderr, behind its name: a bad input or environment on one
/// line and in no more than 2000 characters, for newlines and long words are what the user gave; of
/// others every line as log_line() has it.
std::string error_text(std::string_view what, ExitCode code);

/// The expressions of --check: a verb parses them first, evaluates them before it prints anything
/// and reports violations last.
/// Throws a usage error for a malformed one.
std::vector<CheckExpression> parse_checks(const std::vector<std::string>& texts);

/// A mapping from a file that does not compute every tile once is a violated check, too; `fault`
/// says what it lacks, empty: nothing.
void add_fault(const std::string& name, const std::string& fault,
               std::vector<std::string>& violated);

/// Prints the violated checks on `err`; No when there are any.
ExitCode report_violations(const std::vector<std::string>& violated, Console& console);

}  // namespace tilewright
