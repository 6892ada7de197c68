// The program's error type, and its exit codes.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>

namespace tilewright {

/// Exit codes of the process; part of the command line's contract.
enum class ExitCode : int {
  Good = 0,
  No = 1,            // ran; the check or comparison failed
  Usage = 2,         // usage or bad input
  Inconclusive = 3,  // too noisy to decide
  Environment = 4,   // no usable GPU, another device than the baseline's, counters not permitted
  WrongResult = 5,   // a kernel computed wrong results
  NoBaseline = 6,
  Internal = 7,
  Interrupted = 130,
};

/// The message states what is wrong, where, and what to do next; code() is the exit code.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

/// The same exception as an Error. The environment causes failed allocations and failed calls of
/// the system; any other exception that is not an Error is unforeseen, and internal.
Error as_error(const std::exception& error);

/// True for unforeseen errors.
inline bool is_internal(const std::exception& error) {
  return as_error(error).code() == ExitCode::Internal;
}

inline Error usage_error(const std::string& message) {
  return Error(ExitCode::Usage, message);
}
inline Error environment_error(const std::string& message) {
  return Error(ExitCode::Environment, message);
}
inline Error internal_error(const std::string& message) {
  return Error(ExitCode::Internal, message);
}

}  // namespace tilewright
