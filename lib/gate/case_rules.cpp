#include "gate/case_rules.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

using std::chrono::sys_days;

constexpr std::string_view kWaivable[] = {
    "predicted_us", "dram_read_bytes", "dram_write_bytes", "waves",
    "slots",        "overhang",        "spill_bytes",      "ratio"};
constexpr std::chrono::days kWarning{7};

const Waiver* waiver_of(std::span<const Waiver> waivers, const std::string& case_name,
                        const std::string& number) {
  const auto found = std::find_if(waivers.begin(), waivers.end(), [&](const Waiver& waiver) {
    return waiver.case_name == case_name && waiver.number == number;
  });
  return found == waivers.end() ? nullptr : &*found;
}

void apply_to_case(CaseVerdict& verdict, std::span<const Waiver> waivers, sys_days today) {
  if (verdict.verdict != Verdict::Regression || verdict.worse.empty()) return;
  bool all = true;
  std::vector<std::string> reasons;
  for (const std::string& number : verdict.worse) {
    const Waiver* const waiver = waiver_of(waivers, verdict.name, number);
    const bool holds = waiver != nullptr && today <= waiver->until;
    all = all && holds;
    if (waiver == nullptr) continue;
    reasons.push_back(format("{} of {} {} {}: {}", holds ? "waived: a worse" : "the waiver", number,
                             holds ? "passes until" : "ended on", to_string(waiver->until),
                             waiver->reason));
  }
  if (all) verdict.verdict = Verdict::Waived;
  verdict.findings.insert(verdict.findings.end(), reasons.begin(), reasons.end());
}

}  // namespace

std::string_view judged_as(std::string_view key) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"predicted_us", "time"},  {"dram_read_bytes", "dram"}, {"dram_write_bytes", "dram"},
      {"waves", "waves"},        {"slots", "waves"},          {"overhang", "waves"},
      {"spill_bytes", "spills"}, {"complete", "proof"},       {"ratio", "ratio"}};
  for (const auto& [number, name] : kNames) {
    if (number == key) return name;
  }
  return "";
}

bool is_judged(const CaseRules& rules, std::string_view key) {
  const std::string_view name = judged_as(key);
  if (name == "proof" || rules.judge.empty()) return !name.empty();
  return std::find(rules.judge.begin(), rules.judge.end(), name) != rules.judge.end();
}

std::span<const std::string_view> waivable_numbers() {
  return kWaivable;
}

sys_days parse_day(std::string_view text) {
  const auto parts = split(text, '-');
  const auto all_digits = [](std::string_view part) {
    return std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  if (text.size() == 10 && parts.size() == 3 && parts[0].size() == 4 && parts[1].size() == 2 &&
      std::all_of(parts.begin(), parts.end(), all_digits)) {
    const std::chrono::year_month_day day{
        std::chrono::year(static_cast<int>(*parse_count(parts[0]))),
        std::chrono::month(static_cast<unsigned>(*parse_count(parts[1]))),
        std::chrono::day(static_cast<unsigned>(*parse_count(parts[2])))};
    if (day.ok()) return sys_days(day);
  }
  throw usage_error(format("'{}' is no day: write one such as 2026-12-31", text));
}

std::string to_string(sys_days day) {
  const std::chrono::year_month_day date(day);
  return format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

void apply_waivers(GateRun& run, std::span<const Waiver> waivers, sys_days today) {
  for (CaseVerdict& verdict : run.verdicts) apply_to_case(verdict, waivers, today);
  for (const Waiver& waiver : waivers) {
    if (today > waiver.until || waiver.until - today > kWarning) continue;
    run.notes.push_back(format("the waiver of {} in {} ends on {}: {}", waiver.number,
                               waiver.case_name, to_string(waiver.until), waiver.reason));
  }
}

}  // namespace tilewright
