// A suite's rules for judging its cases, and its waivers of known regressions.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gate/gate.hpp"

namespace tilewright {

/// The key's entry of kJudged: "time" for predicted_us; empty if a number is only shown.
std::string_view judged_as(std::string_view key);

/// True if the rules let the number of this key fail a case. The proof always may.
bool is_judged(const CaseRules& rules, std::string_view key);

/// Excuses a known regression of one number of one case through the day `until`, UTC.
struct Waiver {
  std::string case_name;
  std::string number;  // one of waivable_numbers()
  std::chrono::sys_days until;
  std::string reason;
  bool operator==(const Waiver&) const = default;
};

/// Keys of numbers that a waiver may name; proofs and wrong results are never excused.
std::span<const std::string_view> waivable_numbers();

/// Parses a day like "2026-12-31". Throws a usage error.
std::chrono::sys_days parse_day(std::string_view text);
std::string to_string(std::chrono::sys_days day);

/// Turns a regression into Waived if every number of it is waived on the day `today`. Adds findings
/// for waivers of a case that have ended, and notes for those that end within a week.
void apply_waivers(GateRun& run, std::span<const Waiver> waivers, std::chrono::sys_days today);

}  // namespace tilewright
