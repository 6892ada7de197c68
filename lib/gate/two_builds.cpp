#include "gate/two_builds.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

constexpr int kMaxProcesses = 5;
constexpr int kAgreeing = 2;
constexpr std::string_view kGood = ", the good build";

// Each contender's launches, and their checks, go to the runner of its build.
class PairedRunner : public Runner {
 public:
  PairedRunner(Runner& now, Runner& good) : now_(now), good_(good) {}

  const DeviceSpec& device() const override { return now_.device(); }
  using Runner::prepare;
  void prepare(const Workload& workload) override {
    now_.prepare(workload);
    if (&good_ != &now_) good_.prepare(workload);
  }
  MeasuringMethod method() const override { return now_.method(); }
  std::vector<BuildResult> build(std::span<const TileConfig> configs) override {
    return now_.build(configs);
  }
  std::vector<BuildResult> build_foreign(std::span<const Contender> contenders) override {
    return now_.build_foreign(contenders);
  }
  std::vector<Contender> reference_contenders() override { return {}; }
  Verification verify(const Contender& contender) override {
    return runner_of(contender).verify(contender);
  }
  std::vector<LaunchTime> time_round(std::span<const Contender> contenders) override {
    std::vector<LaunchTime> times;
    for (const Contender& contender : contenders) {
      times.push_back(runner_of(contender).time_round({&contender, 1}).at(0));
    }
    return times;
  }
  using Runner::count;
  std::vector<CounterReading> count(std::span<const Contender> contenders) override {
    return now_.count(contenders);
  }
  KernelTrace trace(const Contender& contender) override {
    return runner_of(contender).trace(contender);
  }
  bool is_usable() override { return now_.is_usable() && good_.is_usable(); }
  std::string timer_check() override { return now_.timer_check(); }

 private:
  Runner& runner_of(const Contender& contender) {
    return contender.name.ends_with(kGood) ? good_ : now_;
  }

  Runner& now_;
  Runner& good_;
};

const GateCase* find(std::span<const GateCase> cases, const std::string& name) {
  const auto at =
      std::find_if(cases.begin(), cases.end(), [&](const GateCase& c) { return c.name == name; });
  return at == cases.end() ? nullptr : &*at;
}

// A kernel that fails, or a verdict by the rounds.
CaseVerdict judge_once(const GateCase& now, const GateCase& good, PairedRunner& runner,
                       Runner& good_runner, const MeasurePolicy& policy) {
  runner.prepare(now.problem);
  if (const auto failed = judge_kernel(good, good_runner)) {
    throw environment_error(format("the good build's kernel of {} cannot run: {}", now.name,
                                   join(failed->findings, "; ")));
  }
  if (const auto failed = judge_kernel(now, runner)) return *failed;
  return judge_against(now, ours(good), runner, policy);
}

// The verdicts by one pair of processes.
std::vector<CaseVerdict> judge_in(Runner& now_runner, Runner& good_runner,
                                  const BuildUnderTest& now, const BuildUnderTest& good,
                                  const CaseThresholds& thresholds, MeasurePolicy policy) {
  PairedRunner runner(now_runner, good_runner);
  std::vector<CaseVerdict> verdicts;
  for (const auto& [name, threshold] : thresholds) {
    const GateCase* const before = find(good.cases, name);
    const GateCase* const after = find(now.cases, name);
    if (before == nullptr) continue;
    const CaseNumbers as_before{name, before->problem, before->config, {}, {}};
    if (after == nullptr) {
      verdicts.push_back(early_verdict(name, Verdict::Regression, "the suite lost this case"));
    } else if (const auto stopped = judge_case(*after, &as_before)) {
      verdicts.push_back(*stopped);
    } else {
      GateCase other = *before;
      other.name += kGood;
      policy.threshold = threshold;
      verdicts.push_back(judge_once(*after, other, runner, good_runner, policy));
    }
  }
  correct_for_suite(verdicts);
  return verdicts;
}

// Wrong results and kernels that cannot run are worse than the good build's as well.
Verdict worst_of(std::span<const CaseVerdict> verdicts) {
  Verdict worst = Verdict::Pass;
  for (const CaseVerdict& verdict : verdicts) worst = std::max(worst, verdict.verdict);
  if (worst > Verdict::Regression) return Verdict::Regression;
  return is_failure(worst) ? worst : Verdict::Pass;
}

// True if a regression follows from something else than times, so that more rounds change nothing.
bool is_settled(std::span<const CaseVerdict> verdicts) {
  return std::any_of(verdicts.begin(), verdicts.end(), [](const CaseVerdict& v) {
    return v.verdict >= Verdict::Regression && v.numbers.empty();
  });
}

}  // namespace

BuildVerdict judge_build(const BuildUnderTest& now, const BuildUnderTest& good,
                         const CaseThresholds& thresholds, const MeasurePolicy& policy) {
  BuildVerdict last;
  std::map<Verdict, int> votes;
  for (int process = 0; process < kMaxProcesses; ++process) {
    const std::unique_ptr<Runner> runner = now.open();
    const std::unique_ptr<Runner> good_runner = good.open ? good.open() : nullptr;
    MeasurePolicy own = policy;
    own.mode = GateMode::Ab;
    // Every process orders its rounds, and those that confirm it, anew.
    own.seed = policy.seed + 2 * static_cast<uint64_t>(process);
    last.cases =
        judge_in(*runner, good_runner ? *good_runner : *runner, now, good, thresholds, own);
    last.verdict = worst_of(last.cases);
    if (is_settled(last.cases)) return last;
    if (++votes[last.verdict] < kAgreeing) continue;
    if (last.verdict == Verdict::Regression || last.verdict == Verdict::Pass) return last;
  }
  last.verdict = Verdict::Inconclusive;
  return last;
}

CaseThresholds thresholds_between(const BuildVerdict& bad, const CaseThresholds& own) {
  CaseThresholds thresholds;
  for (const CaseVerdict& verdict : bad.cases) {
    if (!is_failure(verdict.verdict)) continue;
    double threshold = own.at(verdict.name);
    for (const GateNumber& number : verdict.numbers) {
      if (number.key == "ratio") threshold = std::min(threshold, (1 - number.now) / 2);
    }
    thresholds[verdict.name] = threshold;
  }
  return thresholds;
}

}  // namespace tilewright
