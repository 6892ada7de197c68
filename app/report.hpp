// What a verb answers: print() alone knows the output formats, so a verb neither asks for one nor
// prints.
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "console.hpp"
#include "table.hpp"

namespace tilewright {

/// A sentence that print() breaks at the width of the window; its first line follows `head`.
struct Sentence {
  std::string text;
  std::string head = {};
};

/// A part of the answer for people: whole lines, a sentence or a table.
using TextPart = std::variant<std::string, Sentence, Table>;

/// The answer in every format. print() makes the document or the table only where it is asked for.
struct Report {
  std::vector<std::string> notes = {};     // on `err`, before the answer; one line each
  std::vector<TextPart> text = {};         // for people
  std::function<std::string()> json = {};  // the document with its final newline
  std::function<std::string()> csv = {};   // the table; empty: the verb has none
  std::vector<std::string> violated = {};  // checks that do not hold
  ExitCode code = ExitCode::Good;          // where no check is violated
};

/// Prints the report in that format, then its violated checks. Returns the report's code, or No
/// where it is Good and a check is violated. Throws a usage error for CSV without a table.
ExitCode print(const Report& report, Format form, Console& console);

}  // namespace tilewright
