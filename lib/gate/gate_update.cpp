#include "gate/gate_update.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "gate/gate_numbers.hpp"

namespace tilewright {
namespace {

// Times change with every measurement, and the other numbers of an interval with them.
bool counts_as_change(const GateNumber& number, const CaseNumbers& now) {
  if (!now.measured) return number.before != number.now;
  if (number.key != "ratio") return false;
  const Interval& interval = now.measured->ratio.interval;
  return *number.before < interval.low || *number.before > interval.high;
}

std::string old_and_new(const GateNumber& number) {
  const std::string change = change_text(number);
  return format("{} {} -> {}{}", number.key, value_text(number, *number.before),
                value_text(number, number.now), change.empty() ? "" : format(" ({})", change));
}

std::vector<GateNumber> numbers_beside(const CaseNumbers& now, const CaseNumbers& before) {
  if (now.exact) return gate_numbers(*now.exact, before.exact ? &*before.exact : nullptr);
  return gate_numbers(*now.measured, before.measured ? &*before.measured : nullptr);
}

void tell_case(CaseVerdict& verdict, const CaseNumbers& now, const CaseNumbers& before) {
  verdict.numbers = numbers_beside(now, before);
  verdict.verdict = Verdict::Unchanged;
  std::vector<std::string> first;  // that the old baseline did not record
  for (const GateNumber& number : verdict.numbers) {
    if (!number.before) {
      first.push_back(to_string(number));
      continue;
    }
    const bool changed = counts_as_change(number, now);
    if (changed) verdict.verdict = Verdict::Changed;
    const bool always_shown = now.measured && (number.key == "ratio" || number.key == "median_us");
    if (changed || always_shown) verdict.findings.push_back(old_and_new(number));
  }
  if (!first.empty()) {
    verdict.verdict = Verdict::Changed;
    verdict.findings.push_back("recorded for the first time: " + join(first, ", "));
  }
  if (now.problem != before.problem) {
    verdict.verdict = Verdict::Changed;
    verdict.findings.push_back(
        format("problem {} -> {}", to_string(before.problem), to_string(now.problem)));
  }
  const std::string change = describe_change(now.config, before.config);
  if (change.empty()) return;
  verdict.verdict = Verdict::Changed;
  verdict.findings.push_back(change);
}

}  // namespace

void tell_update(GateRun& run, const Baseline& before, const Baseline& now) {
  for (CaseVerdict& verdict : run.verdicts) {
    if (verdict.verdict != Verdict::New) continue;
    const CaseNumbers* const old = find_case(&before, verdict.name);
    if (old != nullptr) {
      tell_case(verdict, *find_case(&now, verdict.name), *old);
    } else {
      verdict.findings.push_back("the baseline did not have this case");
    }
  }
  for (const CaseNumbers& old : before.cases) {
    const bool kept = std::any_of(run.verdicts.begin(), run.verdicts.end(),
                                  [&old](const CaseVerdict& v) { return v.name == old.name; });
    if (kept) continue;
    run.verdicts.push_back(
        {old.name, Verdict::Removed, {}, {"the suite does not have this case any more"}, ""});
  }
  if (!before.compiler.empty() && now.compiler.empty() && now.mode == before.mode) {
    run.notes.push_back(format(
        "registers and spills, by {}, leave the baseline: nobody compiles here", before.compiler));
  }
}

}  // namespace tilewright
