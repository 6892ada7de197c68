// What bad input is answered with: a usage error, whose words tests look into.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace tilewright::testing {

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// The message of the Error that `call` throws, a usage error unless said otherwise; empty when it
/// throws none.
template <class Call>
std::string complaint_of(const Call& call, ExitCode code = ExitCode::Usage) {
  try {
    call();
  } catch (const Error& error) {
    CHECK(error.code() == code);
    return error.what();
  }
  return "";
}

}  // namespace tilewright::testing
