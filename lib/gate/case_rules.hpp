// What a suite says of how its cases are judged, and of what is excused for a while.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gate/gate.hpp"

namespace tilewright {

/// The key's entry of kJudged: "time" of predicted_us; empty where a number is only shown.
std::string_view judged_as(std::string_view key);

/// True where the rules let the number of this key fail a case. The proof always may.
bool is_judged(const CaseRules& rules, std::string_view key);

/// A regression of one number of one case that is known and passes through the day `until`, UTC.
struct Waiver {
  std::string case_name;
  std::string number;  // one of waivable_numbers()
  std::chrono::sys_days until;
  std::string reason;
  bool operator==(const Waiver&) const = default;
};

/// Keys of numbers that a waiver may name: proofs and wrong results are never excused.
std::span<const std::string_view> waivable_numbers();

/// "2026-12-31" as a day. Throws a usage error.
std::chrono::sys_days parse_day(std::string_view text);
std::string to_string(std::chrono::sys_days day);

/// Turns a regression of which every number is waived on the day `today` into Waived; says which
/// waivers of a case have run out, and in `notes` which end within a week.
void apply_waivers(GateRun& run, std::span<const Waiver> waivers, std::chrono::sys_days today);

}  // namespace tilewright
