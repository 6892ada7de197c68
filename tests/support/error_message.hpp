// Helpers for tests of errors: capture the message of a usage error and search it.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace tilewright::testing {

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// The message of the Error that `call` throws, which must have exit code `code`; empty if it
/// throws none.
template <class Call>
std::string error_message_of(const Call& call, ExitCode code = ExitCode::Usage) {
  try {
    call();
  } catch (const Error& error) {
    CHECK(error.code() == code);
    return error.what();
  }
  return "";
}

/// Replaces the first `from`, which must exist, by `to`.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace tilewright::testing
