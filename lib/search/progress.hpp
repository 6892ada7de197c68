// What a search says while it works.
#pragma once

#include <cstdint>
#include <string>

namespace tilewright {

/// Receives a search's progress; the default listens to nothing.
class Progress {
 public:
  virtual ~Progress() = default;
  /// A new phase of `total` steps ("compile", "verify", "race", ...).
  virtual void begin(const std::string& /*phase*/, int64_t /*total*/) {}
  /// `done` steps of the phase are done; `best_us` is the best time so far, 0 before there is one.
  virtual void advance(int64_t /*done*/, double /*best_us*/) {}
  /// One line that matters to people, such as a wrong kernel's name.
  virtual void note(const std::string& /*line*/) {}
};

}  // namespace tilewright
