// A verb called as main() calls it: what it printed, and what it answered.
#pragma once

#include <sstream>
#include <string>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "console.hpp"

namespace tilewright::testing {

/// An Error's code and, at the end of `err`, its message count as the verb's own.
struct Outcome {
  ExitCode code = ExitCode::Good;
  std::string out;
  std::string err;
};

/// Calls verb(console); an interruption that is requested meanwhile ends with it.
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

}  // namespace tilewright::testing
