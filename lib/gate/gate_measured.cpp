#include "gate/gate_measured.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "gate/case_rules.hpp"
#include "gate/gate.hpp"
#include "gate/gate_numbers.hpp"
#include "search/race.hpp"
#include "search/tuner.hpp"
#include "stats/significance.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

constexpr int64_t kChoosingRounds = 5;
constexpr int64_t kMinRounds = 30;
constexpr int kExtensions = 4;

// The baseline's algorithm if the library still offers it, since a ratio to another one would
// change with that choice. Else the fastest of all.
Contender choose_reference(const GateCase& gate_case, Runner& runner, const MeasurePolicy& policy,
                           const CaseNumbers* before) {
  std::vector<Contender> contenders = runner.reference_contenders();
  if (contenders.empty()) {
    throw environment_error(format("{}: the reference library has no algorithm for {}",
                                   gate_case.name, to_string(gate_case.problem)));
  }
  if (before != nullptr && before->measured) {
    for (const Contender& contender : contenders) {
      if (contender.name == before->measured->reference) return contender;
    }
  }
  contenders.push_back(ours(gate_case));
  Race race(runner, contenders, policy.seed);
  race.warm_up();
  race.run(kChoosingRounds);
  return race.best_reference()->contender;
}

// A pair's numbers, and the times that they summarize.
struct MeasuredPair {
  MeasuredNumbers numbers;
  PairTimes times;
};

MeasuredPair measure_pair(const GateCase& gate_case, const Contender& other, Runner& runner,
                          const MeasurePolicy& policy, uint64_t seed) {
  PairTimes times = time_pair(ours(gate_case), other, runner, policy, seed);
  const MeasuredNumbers numbers{.median_us = median(times.our_us),
                                .reference = other.name,
                                .reference_us = median(times.other_us),
                                .ratio = times.ratio(),
                                .rounds = static_cast<int64_t>(times.our_us.size())};
  return {numbers, std::move(times)};
}

std::string too_wide(const PairedRatio& ratio, double threshold) {
  return format(
      "too noisy to decide: the ratio is known to +-{:.1f} %, the threshold is {:.1f} %; use more "
      "--rounds or a quieter machine",
      100 * relative_half_width(ratio), 100 * threshold);
}

// What a ratio is compared with.
struct Target {
  std::string name;
  double ratio = 1;
};

// The p-value of a pair's ratio below what the threshold allows.
double p_value_of(const MeasuredPair& pair, const Target& target, double threshold) {
  return sign_test(pair.times.other_us, pair.times.our_us, target.ratio * (1 - threshold));
}

// The first comparison, before anything is confirmed.
void judge(CaseVerdict& verdict, const MeasuredNumbers& now, const Target& target,
           double threshold) {
  switch (compare_ratio(now.ratio, target.ratio, threshold)) {
    case RatioAnswer::NotWorse: verdict.verdict = Verdict::Pass; break;
    case RatioAnswer::Better: verdict.verdict = Verdict::Improved; break;
    case RatioAnswer::Slower:
      verdict.verdict = Verdict::Regression;
      verdict.findings.push_back(format("ratio {:.4f} [{:.4f}, {:.4f}], {} {:.4f}, allowed {:.4f}",
                                        now.ratio.ratio, now.ratio.interval.low,
                                        now.ratio.interval.high, target.name, target.ratio,
                                        target.ratio * (1 - threshold)));
      break;
    case RatioAnswer::Unclear:
      verdict.verdict = Verdict::Inconclusive;
      verdict.findings.push_back(too_wide(now.ratio, threshold));
      break;
  }
}

void confirm(CaseVerdict& verdict, const MeasuredPair& again, const Target& target,
             double threshold) {
  const PairedRatio& ratio = again.numbers.ratio;
  const bool slower = compare_ratio(ratio, target.ratio, threshold) == RatioAnswer::Slower;
  verdict.findings.push_back(format("fresh rounds {}: {:.4f} [{:.4f}, {:.4f}]",
                                    slower ? "confirm it" : "do not confirm it", ratio.ratio,
                                    ratio.interval.low, ratio.interval.high));
  if (!slower) verdict.verdict = Verdict::Inconclusive;
  // Both must show it, and one process timed both: the weaker result counts.
  verdict.p_value = std::max(*verdict.p_value, p_value_of(again, target, threshold));
}

void require_same_method(const Baseline* baseline, const MeasuringMethod& now) {
  if (baseline == nullptr) return;
  const MeasuringMethod& before = baseline->method;
  const auto same = [](const char* what, const std::string& a, const std::string& b) {
    if (a == b) return;
    throw environment_error(
        format("the baseline's {} was '{}' and is '{}' here, so ratios cannot be compared: write a "
               "new baseline with --update",
               what, a, b));
  };
  same("timer", before.timer, now.timer);
  same("data", before.data, now.data);
  same("reference", before.reference, now.reference);
}

// Judges a pair with `other` as the second kernel; slower only once confirmed.
CaseVerdict judge_pair(const GateCase& gate_case, const MeasuredPair& pair, const Contender& other,
                       const Target& target, Runner& runner, const MeasurePolicy& policy) {
  const MeasuredNumbers& now = pair.numbers;
  CaseVerdict verdict{gate_case.name, Verdict::Pass, gate_numbers(now, nullptr), {}, other.name};
  verdict.p_value = p_value_of(pair, target, policy.threshold);
  judge(verdict, now, target, policy.threshold);
  if (verdict.verdict == Verdict::Regression) {
    confirm(verdict, measure_pair(gate_case, other, runner, policy, policy.seed + 1), target,
            policy.threshold);
  }
  if (verdict.verdict == Verdict::Regression) verdict.worse = {"ratio"};
  if (!is_judged(gate_case.rules, "ratio")) verdict.p_value.reset();
  if (!verdict.worse.empty() && !verdict.p_value) {
    verdict.verdict = Verdict::Pass;
    verdict.worse.clear();
    verdict.findings.push_back("the suite does not use the ratio in verdicts");
  }
  return verdict;
}

// Compares with the baseline's ratio; adds the numbers to `numbers`.
CaseVerdict measure_ratio(const GateCase& gate_case, Runner& runner, const MeasurePolicy& policy,
                          const CaseNumbers* before, std::vector<CaseNumbers>& numbers) {
  const Contender reference = choose_reference(gate_case, runner, policy, before);
  const MeasuredPair pair = measure_pair(gate_case, reference, runner, policy, policy.seed);
  const MeasuredNumbers& now = pair.numbers;
  numbers.push_back({gate_case.name, gate_case.problem, gate_case.config, {}, now});
  if (before == nullptr || !before->measured) {
    CaseVerdict verdict{
        gate_case.name, Verdict::New, gate_numbers(now, nullptr), {}, now.reference};
    if (!(relative_half_width(now.ratio) <= policy.threshold)) {
      verdict.verdict = Verdict::Inconclusive;
      verdict.findings.push_back(too_wide(now.ratio, policy.threshold));
    }
    return verdict;
  }
  const MeasuredNumbers& old = *before->measured;
  CaseVerdict verdict =
      judge_pair(gate_case, pair, reference, {"baseline", old.ratio.ratio}, runner, policy);
  verdict.numbers = gate_numbers(now, &old);
  for (GateNumber& number : verdict.numbers) number.recorded = number.before;
  if (verdict.verdict == Verdict::Improved) {
    verdict.findings.push_back("improved: --promote records it in the baseline");
  }
  if (old.reference != now.reference) {
    verdict.findings.push_back(
        format("the reference is {}, and was {} in the baseline", now.reference, old.reference));
  }
  const std::string change = describe_change(gate_case.config, before->config);
  if (!change.empty()) verdict.findings.push_back(change);
  return verdict;
}

// Compares with the best algorithm of the reference library.
CaseVerdict measure_reference(const GateCase& gate_case, Runner& runner,
                              const MeasurePolicy& policy) {
  const Contender reference = choose_reference(gate_case, runner, policy, nullptr);
  CaseVerdict verdict = judge_against(gate_case, reference, runner, policy);
  // Being faster than the library is the goal, and no finding.
  if (verdict.verdict == Verdict::Improved) verdict.verdict = Verdict::Pass;
  if (verdict.verdict == Verdict::Regression) {
    verdict.findings.push_back("slower than the reference library's " + reference.name);
  }
  return verdict;
}

// Against the other build of a harness, or its default config, which is in the same rounds.
CaseVerdict measure_foreign(const GateCase& gate_case, Runner& runner,
                            const MeasurePolicy& policy) {
  const bool is_default = gate_case.other_is_default;
  if (is_default && gate_case.foreign == gate_case.other) {
    return early_verdict(gate_case.name, Verdict::Pass, "the default config: nothing to compare");
  }
  const std::string what = is_default ? "the default config" : "the other build";
  GateCase other{.name = format("{}, {}", gate_case.name, what),
                 .problem = gate_case.problem,
                 .config = {},
                 .why_illegal = {}};
  other.foreign = gate_case.other;
  std::string why = gate_case.why_no_other;
  if (why.empty()) {
    if (const auto refused = judge_kernel(other, runner)) why = join(refused->findings, "; ");
  }
  if (!why.empty()) {
    return early_verdict(gate_case.name, Verdict::Environment,
                         format("{} cannot run here, so nothing was compared: {}", what, why));
  }
  CaseVerdict verdict = judge_against(gate_case, ours(other), runner, policy);
  if (is_default) {
    // Being faster than the default is the goal, and no finding.
    if (verdict.verdict == Verdict::Improved) verdict.verdict = Verdict::Pass;
    if (verdict.verdict == Verdict::Regression) {
      verdict.findings.push_back(format("{} is slower than the default, {}",
                                        to_string(gate_case.foreign->values),
                                        to_string(other.foreign->values)));
    }
    return verdict;
  }
  const bool is_same = gate_case.foreign->build == other.foreign->build;
  verdict.findings.push_back(
      is_same ? "both builds are the same bytes"
              : format("{} beside {}", to_string(*gate_case.foreign), to_string(*other.foreign)));
  return verdict;
}

// Against the baseline's config.
CaseVerdict measure_ab(const GateCase& gate_case, Runner& runner, const MeasurePolicy& policy,
                       const CaseNumbers* before) {
  if (gate_case.foreign) return measure_foreign(gate_case, runner, policy);
  if (before == nullptr) return {gate_case.name, Verdict::New, {}, {}, ""};
  if (before->config == gate_case.config) {
    return early_verdict(gate_case.name, Verdict::Pass, std::string(kSameConfig));
  }
  const GateCase old{gate_case.name + ", the baseline's config", before->problem, before->config,
                     ""};
  const auto rejection = reject_workload(old.problem, old.config, runner.device());
  const auto refused = rejection
                           ? early_verdict(old.name, Verdict::Environment,
                                           format("{}: {}", rejection->rule, rejection->reason))
                           : judge_kernel(old, runner);
  if (refused) {
    return early_verdict(gate_case.name, Verdict::Environment,
                         "the baseline's config cannot run here, so nothing was compared: " +
                             join(refused->findings, "; "));
  }
  CaseVerdict verdict = judge_against(gate_case, ours(old), runner, policy);
  verdict.findings.push_back(describe_change(gate_case.config, before->config));
  return verdict;
}

// Judges a case after its kernel was verified.
CaseVerdict measure_case(const GateCase& gate_case, Runner& runner, MeasurePolicy policy,
                         const CaseNumbers* before, std::vector<CaseNumbers>& numbers) {
  policy.threshold = gate_case.rules.threshold.value_or(policy.threshold);
  if (policy.mode == GateMode::Ab) return measure_ab(gate_case, runner, policy, before);
  if (policy.mode == GateMode::Reference) return measure_reference(gate_case, runner, policy);
  return measure_ratio(gate_case, runner, policy, before, numbers);
}

}  // namespace

void correct_for_suite(std::span<CaseVerdict> verdicts) {
  std::vector<double> p_values;
  for (const CaseVerdict& verdict : verdicts) {
    if (verdict.p_value) p_values.push_back(*verdict.p_value);
  }
  const std::vector<bool> rejected = holm_rejections(p_values, kFalseAlarms);
  size_t next = 0;
  for (CaseVerdict& verdict : verdicts) {
    if (!verdict.p_value || rejected[next++] || verdict.verdict != Verdict::Regression) continue;
    verdict.verdict = Verdict::Inconclusive;
    verdict.worse.clear();
    verdict.findings.push_back(
        format("of {} cases measured, one appears as slow by chance (p = {:.2g}) too often to call "
               "it slower; use more --rounds",
               p_values.size(), *verdict.p_value));
  }
}

CaseVerdict judge_against(const GateCase& gate_case, const Contender& other, Runner& runner,
                          const MeasurePolicy& policy) {
  const MeasuredPair pair = measure_pair(gate_case, other, runner, policy, policy.seed);
  return judge_pair(gate_case, pair, other, {"parity", 1}, runner, policy);
}

double relative_half_width(const PairedRatio& ratio) {
  return (ratio.interval.high - ratio.interval.low) / 2 / ratio.ratio;
}

Contender ours(const GateCase& gate_case) {
  Contender contender{.name = gate_case.name,
                      .config = gate_case.config,
                      .reference_algorithm = -1,
                      .foreign = gate_case.foreign};
  if (contender.foreign) contender.config.reset();
  return contender;
}

std::optional<CaseVerdict> judge_kernel(const GateCase& gate_case, Runner& runner) {
  const Contender contender = ours(gate_case);
  const BuildResult build = contender.foreign ? runner.build_foreign({&contender, 1}).at(0)
                                              : runner.build({&gate_case.config, 1}).at(0);
  if (!build.ok()) {
    return early_verdict(
        gate_case.name, Verdict::Regression,
        format("the {} is refused: {}",
               contender.foreign ? "harness's config" : "compiler's kernel", build.reason));
  }
  const Verification verification = runner.verify(contender);
  if (verification.ok) return std::nullopt;
  return early_verdict(
      gate_case.name, Verdict::WrongResult,
      format("relative error {:.3g}: {} ({})", verification.rel_error, verification.detail,
             contender.foreign ? to_string(*contender.foreign) : to_string(gate_case.config)));
}

PairTimes time_pair(const Contender& our, const Contender& other, Runner& runner,
                    const MeasurePolicy& policy, uint64_t seed) {
  Race race(runner, {our, other}, seed);
  const auto times = [&race] {
    race.require_all();
    return PairTimes{race.entries()[0].samples_us, race.entries()[1].samples_us};
  };
  race.warm_up();
  int64_t rounds = policy.rounds;
  if (rounds == 0) {
    race.run(kChoosingRounds);
    rounds = std::max(kMinRounds, rounds_for(race.round_us()));
    race.run(rounds - kChoosingRounds);
  } else {
    race.run(rounds);
  }
  const auto too_noisy = [&] {
    return !(relative_half_width(times().ratio()) <= policy.threshold);
  };
  // A noisy case gets more rounds before it is reported as noisy.
  for (int extension = 0; policy.rounds == 0 && extension < kExtensions && too_noisy();
       ++extension) {
    race.run(rounds);
  }
  return times();
}

RatioAnswer compare_ratio(const PairedRatio& now, double baseline_ratio, double threshold) {
  const double least = baseline_ratio * (1 - threshold);
  if (now.interval.high < least) return RatioAnswer::Slower;
  if (now.interval.low > baseline_ratio * (1 + threshold)) return RatioAnswer::Better;
  if (now.interval.low >= least) return RatioAnswer::NotWorse;
  // With a NaN the result is Unclear.
  const bool narrow = relative_half_width(now) <= threshold;
  return narrow ? RatioAnswer::NotWorse : RatioAnswer::Unclear;
}

GateRun run_measured_gate(std::span<const GateCase> cases, Runner& runner,
                          const MeasurePolicy& policy, const Baseline* baseline,
                          ProgressListener& progress) {
  GateRun run;
  run.mode = policy.mode;
  progress.begin("measure", static_cast<int64_t>(cases.size()));
  const auto conclude = [&](CaseVerdict verdict) {
    add_new_finding(verdict, baseline);
    progress.note(format("{}: {}", verdict.name, to_string(verdict.verdict)));
    run.verdicts.push_back(std::move(verdict));
    progress.advance(static_cast<int64_t>(run.verdicts.size()), 0);
  };
  for (const GateCase& gate_case : cases) {
    conclude(judge_guarded(gate_case, [&] {
      const CaseNumbers* const before = find_case(baseline, gate_case.name);
      if (const auto verdict = judge_case(gate_case, before)) return *verdict;
      runner.prepare(gate_case.problem);
      run.method = runner.method();
      if (policy.mode == GateMode::Baseline) require_same_method(baseline, run.method);
      if (const auto verdict = judge_kernel(gate_case, runner)) return *verdict;
      return measure_case(gate_case, runner, policy, before, run.numbers);
    }));
  }
  correct_for_suite(run.verdicts);
  if (baseline != nullptr) {
    for (const CaseVerdict& verdict : judge_removed(*baseline, cases)) conclude(verdict);
  }
  return run;
}

}  // namespace tilewright
