// The streams that a verb writes to: results to `out`, messages and progress to `err`.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/check_expression.hpp"
#include "base/error.hpp"

namespace tilewright {

enum class Format { Text, Json, Csv, Markdown };

inline constexpr std::string_view kFormats[] = {"text", "json", "csv", "markdown"};

constexpr std::string_view to_string(Format form) {
  return kFormats[static_cast<size_t>(form)];
}
/// True for the formats that only a table has.
constexpr bool is_of_tables(Format form) {
  return form == Format::Csv || form == Format::Markdown;
}

struct Console {
  std::ostream& out;
  std::ostream& err;
  bool color_out = false;     // colour on `out`
  bool terminal_out = false;  // `out` is a terminal: tables fit its width
  bool terminal_err = false;  // `err` is a terminal: a progress bar may redraw its line
  int width = 80;             // columns of that terminal

  /// One line on `err`, even where the name of a file or a problem in it contains newlines.
  void note(std::string_view sentence) const;
  void note(const std::vector<std::string>& sentences) const;
};

/// The console of an answer beside a document: it goes to `err` where the document's path is "-",
/// standard output.
Console beside_document(const std::string& path, const Console& console);

/// The text of an error on stderr, after the program's name. A usage or environment error is one
/// line of at most 2000 characters, because newlines and long words come from the user's input;
/// other errors keep every line, formatted by log_line().
std::string error_text(std::string_view what, ExitCode code);

/// Parses the expressions of --check. A verb calls this first, evaluates the checks before it
/// prints anything, and reports violations last. Throws a usage error for a malformed one.
std::vector<CheckExpression> parse_checks(const std::vector<std::string>& texts);

/// Adds a violated check for a mapping from a file that does not compute every tile exactly once.
/// `fault` describes the error; empty: none.
void add_fault(const std::string& name, const std::string& fault,
               std::vector<std::string>& violated);

/// Prints the violated checks on `err`; returns No when there are any.
ExitCode report_violations(const std::vector<std::string>& violated, Console& console);

}  // namespace tilewright
