#include "gate/gate.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>

#include "base/text.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {

std::string to_string(GateMode mode) {
  switch (mode) {
    case GateMode::Static: return "static";
    case GateMode::Baseline: return "baseline";
    case GateMode::Ab: return "ab";
    case GateMode::Reference: return "reference";
  }
  return "";
}

std::string to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::Pass: return "pass";
    case Verdict::Unchanged: return "unchanged";
    case Verdict::Improved: return "improved";
    case Verdict::Changed: return "changed";
    case Verdict::Removed: return "removed";
    case Verdict::Waived: return "waived";
    case Verdict::New: return "new";
    case Verdict::Inconclusive: return "inconclusive";
    case Verdict::Environment: return "environment";
    case Verdict::ModelChanged: return "model changed";
    case Verdict::Regression: return "regression";
    case Verdict::WrongResult: return "wrong result";
    case Verdict::Internal: return "internal";
  }
  return "";
}

namespace {

ExitCode exit_code_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Internal: return ExitCode::Internal;
    case Verdict::WrongResult: return ExitCode::WrongResult;
    case Verdict::Regression: return ExitCode::No;
    case Verdict::ModelChanged: return ExitCode::NoBaseline;
    case Verdict::Environment: return ExitCode::Environment;
    case Verdict::Inconclusive: return ExitCode::Inconclusive;
    default: return ExitCode::Good;
  }
}

// The first product of a group that changed; the group's short text does not show it.
std::string changed_product(const Workload& now, const Workload& before) {
  const auto [one, other] = std::mismatch(now.shapes.begin(), now.shapes.end(),
                                          before.shapes.begin(), before.shapes.end());
  if (one == now.shapes.end() || other == before.shapes.end()) return "";
  const bool same = std::is_permutation(now.shapes.begin(), now.shapes.end(), before.shapes.begin(),
                                        before.shapes.end());
  return format(", {}product {} is {} and was {}", same ? "in another order: " : "",
                one - now.shapes.begin() + 1, to_string(*one), to_string(*other));
}

std::string describe_change(const Workload& now, const Workload& before) {
  const std::string is = to_string(now);
  const std::string was = to_string(before);
  if (is == was) return format("is {} as in the baseline{}", is, changed_product(now, before));
  return format("was {} in the baseline and is {}", was, is);
}

}  // namespace

bool is_failure(Verdict verdict) {
  return exit_code_of(verdict) != ExitCode::Good;
}

std::vector<CaseVerdict> worst_first(std::span<const CaseVerdict> verdicts) {
  std::vector<CaseVerdict> sorted(verdicts.begin(), verdicts.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const CaseVerdict& a, const CaseVerdict& b) {
    return a.verdict > b.verdict;
  });
  return sorted;
}

std::string count_verdicts(std::span<const CaseVerdict> verdicts) {
  std::map<Verdict, int, std::greater<>> counts;
  for (const CaseVerdict& verdict : verdicts) ++counts[verdict.verdict];
  std::vector<std::string> parts;
  parts.reserve(counts.size());
  for (const auto& [verdict, count] : counts) {
    parts.push_back(format("{} {}", count, to_string(verdict)));
  }
  return join(parts, ", ");
}

ExitCode gate_exit_code(std::span<const CaseVerdict> verdicts) {
  Verdict worst = Verdict::Pass;
  for (const CaseVerdict& verdict : verdicts) worst = std::max(worst, verdict.verdict);
  return exit_code_of(worst);
}

ExitCode gate_exit_code(const GateRun& run) {
  const ExitCode code = gate_exit_code(run.verdicts);
  return code == ExitCode::Good && !run.nothing_compared.empty() ? ExitCode::NoBaseline : code;
}

void set_nothing_compared(GateRun& run, bool baseline_is_empty) {
  const auto says_nothing = [](const CaseVerdict& v) {
    return v.verdict == Verdict::New ||
           (v.findings.size() == 1 && v.findings.front() == kSameConfig);
  };
  if (!std::all_of(run.verdicts.begin(), run.verdicts.end(), says_nothing)) return;
  const bool all_new = std::all_of(run.verdicts.begin(), run.verdicts.end(),
                                   [](const CaseVerdict& v) { return v.verdict == Verdict::New; });
  const char* const why = baseline_is_empty ? "the baseline is empty"
                          : all_new         ? "every case is new to the baseline"
                                            : "every config is the baseline's";
  run.nothing_compared = format("nothing was compared: {}; --allow-new lets such a run pass", why);
}

void require_comparable(const Baseline& baseline, GateMode mode, const DeviceFingerprint& device) {
  if (mode != GateMode::Ab && baseline.mode != mode) {
    throw environment_error(
        format("the baseline holds numbers of --mode {0}, and this is a run of --mode {1}: use "
               "--mode {0}, or write another baseline with --update",
               to_string(baseline.mode), to_string(mode)));
  }
  // Exact numbers and configs depend on the architecture alone, so a preset represents its GPU;
  // times do not.
  const bool two_names = mode == GateMode::Baseline ||
                         (mode == GateMode::Static && baseline.device.preset == device.preset);
  if (same_architecture(baseline.device, device) &&
      (!two_names || baseline.device.name == device.name)) {
    return;
  }
  throw environment_error(
      format("the baseline was measured on {}, and this run uses {}: numbers of two devices cannot "
             "be compared",
             to_string(baseline.device), to_string(device)));
}

const CaseNumbers* find_case(const Baseline* baseline, const std::string& name) {
  if (baseline == nullptr) return nullptr;
  for (const CaseNumbers& numbers : baseline->cases) {
    if (numbers.name == name) return &numbers;
  }
  return nullptr;
}

std::vector<CaseVerdict> judge_removed(const Baseline& baseline, std::span<const GateCase> cases) {
  std::vector<CaseVerdict> removed;
  for (const CaseNumbers& before : baseline.cases) {
    const bool kept = std::any_of(cases.begin(), cases.end(),
                                  [&before](const GateCase& c) { return c.name == before.name; });
    if (kept) continue;
    removed.push_back(early_verdict(
        before.name, Verdict::Regression,
        "the baseline has this case and the suite does not: restore it, or update the baseline"));
  }
  return removed;
}

CaseVerdict early_verdict(const std::string& name, Verdict verdict, const std::string& finding) {
  return {name, verdict, {}, {finding}, ""};
}

CaseVerdict judge_guarded(const GateCase& gate_case, const std::function<CaseVerdict()>& judge) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  CaseVerdict verdict;
  try {
    verdict = judge();
  } catch (const std::exception& error) {
    if (!is_internal(error)) throw;
    verdict = early_verdict(gate_case.name, Verdict::Internal, error.what());
  }
  verdict.line = gate_case.line;
  verdict.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return verdict;
}

void add_new_finding(CaseVerdict& verdict, const Baseline* baseline) {
  if (baseline == nullptr || verdict.verdict != Verdict::New) return;
  verdict.findings.push_back("not in the baseline, so nothing was compared: --update adds it");
}

std::string describe_change(const TileConfig& now, const TileConfig& before) {
  // Only configs of one family have the same keys.
  if (now.family != before.family) {
    return format("config={}, baseline {}", to_string(now), to_string(before));
  }
  std::vector<std::string> changes;
  for (const ChangedKey& key : changed_keys(now, before)) {
    changes.push_back(format("{}={}, baseline {}", key.name, key.value, key.before));
  }
  return join(changes, ", ");
}

std::optional<CaseVerdict> judge_case(const GateCase& gate_case, const CaseNumbers* before) {
  const auto regression = [&gate_case](const std::string& finding) {
    return early_verdict(gate_case.name, Verdict::Regression, finding);
  };
  if (!gate_case.internal_failure.empty())
    return early_verdict(gate_case.name, Verdict::Internal, gate_case.internal_failure);
  if (!gate_case.why_illegal.empty()) return regression("cannot run: " + gate_case.why_illegal);
  if (before != nullptr && before->problem != gate_case.problem) {
    return regression(describe_change(gate_case.problem, before->problem) +
                      ": update the baseline");
  }
  return std::nullopt;
}

}  // namespace tilewright
