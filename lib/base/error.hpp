// The one error type and the exit codes it ends in.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>

namespace tilewright {

/// What a process ends with; part of the command line's contract.
enum class ExitCode : int {
  Good = 0,
  No = 1,            // ran, and the answer is no
  Usage = 2,         // usage or bad input
  Inconclusive = 3,  // too noisy to say
  Environment = 4,   // no usable GPU, another device than the baseline's, counters not permitted
  WrongResult = 5,   // a kernel computed wrong results
  NoBaseline = 6,
  Internal = 7,
  Interrupted = 130,
};

/// Says what is wrong, where, and what to do next; carries the exit code it should end in.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

/// True of what no check foresaw: an Error with code Internal, or an exception that is no Error.
inline bool is_internal(const std::exception& error) {
  const auto* const known = dynamic_cast<const Error*>(&error);
  return known == nullptr || known->code() == ExitCode::Internal;
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
