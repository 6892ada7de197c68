// What a host offers for measuring, line by line.
#pragma once

#include <string>

namespace tilewright {

enum class Health { Ok, Problem, Unknown };

/// One line of a diagnosis.
struct Finding {
  std::string subject;  // "counters"
  Health health = Health::Ok;
  std::string detail;  // "permitted"
  std::string advice;  // what to do; empty if nothing
  bool operator==(const Finding&) const = default;
};

/// "ok", "problem" or "unknown".
inline const char* to_string(Health health) {
  if (health == Health::Ok) return "ok";
  return health == Health::Problem ? "problem" : "unknown";
}

}  // namespace tilewright
