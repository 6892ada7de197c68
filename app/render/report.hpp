// What a verb answers: print() and print_parts() alone know the output formats, so a verb neither
// asks for one nor prints.
#pragma once

#include <exception>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "host/console.hpp"
#include "render/table.hpp"

namespace tilewright {

/// A sentence that print() breaks at the width of the window; its first line follows `head`.
struct Sentence {
  std::string text;
  std::string head = {};
  int most = 0;  // columns at most, also where there is no window; 0: no limit
};

/// A part of the answer for people: whole lines, a sentence or a table.
using TextPart = std::variant<std::string, Sentence, Table>;

/// The answer in every format. print() makes the document or the table only where it is asked for.
struct Report {
  std::vector<std::string> notes = {};     // on `err`, before the answer; one line each
  std::vector<TextPart> text = {};         // for people
  std::function<std::string()> json = {};  // the document with its final newline
  std::function<Table()> table = {};       // its rows, for CSV and Markdown; empty: there are none
  std::vector<std::string> violated = {};  // checks that do not hold
  ExitCode code = ExitCode::Good;          // where no check is violated
  std::exception_ptr failure = nullptr;    // it ended the verb; the answer is what came before it
};

/// Takes the parts of an answer, each as soon as it is there.
using ReportSink = std::function<void(const Report&)>;

/// The answer for people, in lines of at most `width` columns; 0: no limit.
std::string text_of(const Report& report, int width);

/// Prints the report in that format, then its violated checks. Returns the report's code, or No
/// where it is Good and a check is violated. Throws a usage error for a format of tables
/// where there is none, and the report's failure.
ExitCode print(const Report& report, Format form, Console& console);

/// The same for a verb that answers part by part: prints what it passes to the sink at once, then
/// the report that it returns, of each only what there is in this format. The parts' rows are one
/// table.
ExitCode print_parts(const std::function<Report(const ReportSink&)>& verb, Format form,
                     Console& console);

}  // namespace tilewright
