// Calls a verb as main() does and collects its output and exit code.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "host/console.hpp"
#include "render/report.hpp"

namespace tilewright::testing {

/// If the verb throws an Error, `code` is the Error's and its message is appended to `err`.
struct Outcome {
  ExitCode code = ExitCode::Good;
  std::string out;
  std::string err;
};

/// The lines of a text, without their ends.
inline std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Calls verb(console), then clears an interruption that was requested meanwhile.
template <class Verb>
Outcome outcome_of(const Verb& verb) {
  std::ostringstream out;
  std::ostringstream err;
  Console console{.out = out, .err = err};
  ExitCode code = ExitCode::Good;
  try {
    code = verb(console);
  } catch (const Error& error) {
    code = error.code();
    err << error.what();
  }
  clear_interruption();
  return {code, out.str(), err.str()};
}

/// The same for a verb that returns a report, which is printed in this format.
template <class Verb>
Outcome printed(Format form, const Verb& verb) {
  return outcome_of([&](Console& console) { return print(verb(console), form, console); });
}

/// The same for a verb that also shows parts of its answer: verb(show, console).
template <class Verb>
Outcome shown(Format form, const Verb& verb) {
  return outcome_of([&](Console& console) {
    return print_parts([&](const ReportSink& show) { return verb(show, console); }, form, console);
  });
}

}  // namespace tilewright::testing
