// A verb called as main() calls it: what it printed, and what it answered.
#pragma once

#include <functional>
#include <sstream>
#include <string>

#include "base/error.hpp"
#include "console.hpp"

namespace tilewright::testing {

/// An Error's code and, at the end of `err`, its message count as the verb's own.
struct Outcome {
  ExitCode code = ExitCode::Good;
  std::string out;
  std::string err;
};

/// Calls verb(console), whose Ctrl-C is `interrupted`.
template <class Verb>
Outcome outcome_of(
    const Verb& verb, const std::function<bool()>& interrupted = [] { return false; }) {
  std::ostringstream out;
  std::ostringstream err;
  Console console{.out = out, .err = err};
  console.interrupted = interrupted;
  ExitCode code = ExitCode::Good;
  try {
    code = verb(console);
  } catch (const Error& error) {
    code = error.code();
    err << error.what();
  }
  return {code, out.str(), err.str()};
}

}  // namespace tilewright::testing
