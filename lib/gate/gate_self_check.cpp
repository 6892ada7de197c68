#include "gate/gate_self_check.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "gate/case_rules.hpp"
#include "gate/gate.hpp"
#include "gate/gate_numbers.hpp"
#include "gate/gate_static.hpp"

namespace tilewright {

namespace {

// Returns the same result for every kernel.
class MadeUpCompiler : public KernelCompiler {
 public:
  std::vector<BuildResult> build(std::span<const Plan> plans, const std::string&) override {
    return std::vector<BuildResult>(plans.size(), result);
  }
  BuildResult result{"", 168, 0, 200000, false};
};

// Makes one number of a case worse.
struct Injection {
  const char* name;
  std::function<void(StaticNumbers&)> worsen;
  int spill_bytes = 0;
};

// A device without times has none to make worse.
std::vector<Injection> injections(double threshold, bool has_times) {
  std::vector<Injection> all;
  if (has_times) {
    all.push_back(
        {"predicted_us", [threshold](auto& n) { *n.predicted->us *= 1 + 2 * threshold; }});
  }
  for (const Injection& one : std::initializer_list<Injection>{
           {"dram_read_bytes", [](auto& n) { n.predicted->dram_read_bytes *= 1.001; }},
           // Small outputs stay in L2.
           {"dram_write_bytes", [](auto& n) { (n.predicted->dram_write_bytes *= 1.001) += 1; }},
           {"waves", [](auto& n) { ++n.waves; }},
           {"slots", [](auto& n) { ++n.slots; }},
           {"overhang", [](auto& n) { ++n.overhang; }},
           {"complete", [](auto& n) { n.complete = false; }},
           {"spill_bytes", [](auto&) {}, 4}}) {
    all.push_back(one);
  }
  return all;
}

// The static gate on a suite, with each case's numbers computed once.
class CheckedGate {
 public:
  CheckedGate(std::span<const GateCase> cases, const DeviceSpec& device, double threshold)
      : cases_(cases), device_(device), threshold_(threshold) {}

  GateRun run(const Baseline* baseline, const Injection* injection, bool other_walk) {
    MadeUpCompiler compiler;
    if (injection != nullptr) compiler.result.spill_bytes = injection->spill_bytes;
    ProgressListener silent;
    return run_static_gate(cases_, device_, {&compiler, kCompiler, ""}, baseline, threshold_,
                           silent, [&](const auto& workload, const auto& config, const auto&) {
                             StaticNumbers numbers = numbers_of(workload, config);
                             if (injection != nullptr) injection->worsen(numbers);
                             if (other_walk) numbers.walk = "another";
                             return numbers;
                           });
  }

  static constexpr const char* kCompiler = "made up";

 private:
  StaticNumbers numbers_of(const Workload& workload, const TileConfig& config) {
    for (const CaseNumbers& known : known_) {
      if (known.problem == workload && known.config == config) return *known.exact;
    }
    StaticNumbers numbers = exact_numbers(workload, config, device_);
    known_.push_back({"", workload, config, numbers, {}});
    return numbers;
  }

  std::span<const GateCase> cases_;
  const DeviceSpec& device_;
  double threshold_;
  std::vector<CaseNumbers> known_;
};

double largest_threshold(std::span<const GateCase> cases, double otherwise) {
  double largest = 0;
  for (const GateCase& gate_case : cases) {
    largest = std::max(largest, gate_case.rules.threshold.value_or(otherwise));
  }
  return largest;
}

// What is wrong with the verdict on a case that was made worse; empty if nothing is.
std::string fault_of(const CaseVerdict& verdict, const std::string& number, bool other_walk) {
  const bool named =
      std::find(verdict.worse.begin(), verdict.worse.end(), number) != verdict.worse.end();
  // The proof and the compiler are no part of the model.
  const bool regression = other_walk || number == "complete" || number == "spill_bytes";
  const bool right = regression ? verdict.verdict == Verdict::Regression && named
                                : verdict.verdict == Verdict::ModelChanged;
  if (right) return "";
  return format("the gate fails: a worse {} by {} walk is '{}'", number,
                other_walk ? "another" : "the same", to_string(verdict.verdict));
}

// Compares the kernel's times with its own, and with its own made slower.
CaseVerdict check_times(const GateCase& gate_case, Runner& runner, const MeasurePolicy& policy) {
  Contender again = ours(gate_case);
  again.name += ", again";
  PairTimes times = time_pair(ours(gate_case), again, runner, policy, policy.seed);
  const PairedRatio ratio = times.ratio();
  const double threshold = policy.threshold;
  const double noise = relative_half_width(ratio);
  // The least slowdown that puts the whole interval below what is allowed.
  const double detectable = ratio.interval.high / (1 - threshold) - 1;
  CaseVerdict verdict{gate_case.name,
                      Verdict::Pass,
                      {{"noise_pct", 100 * noise, {}, false},
                       {"detectable_pct", 100 * detectable, {}, false},
                       {"ratio", ratio.ratio, {}, false},
                       {"rounds", static_cast<double>(times.our_us.size()), {}, false}},
                      {},
                      again.name};
  const RatioAnswer same = compare_ratio(ratio, 1, threshold);
  if (same == RatioAnswer::Slower || same == RatioAnswer::Better) {
    verdict.verdict = Verdict::Regression;
    verdict.findings.push_back(
        format("the gate fails: a kernel differs from itself by {:.2f} %, more than the "
               "threshold of {:.2f} %",
               100 * (ratio.ratio - 1), 100 * threshold));
    return verdict;
  }
  for (double& us : times.our_us) us *= 1 + 2 * threshold;
  const bool found = compare_ratio(times.ratio(), 1, threshold) == RatioAnswer::Slower;
  verdict.findings.push_back(
      format("noise +-{:.2f} %; a slowdown of {:.2f} % {} found, from {:.2f} "
             "% on it is",
             100 * noise, 200 * threshold, found ? "is" : "is not", 100 * detectable));
  if (!found || !(noise <= threshold)) verdict.verdict = Verdict::Inconclusive;
  return verdict;
}

// Measured times, and numbers that depend on them, differ on every run: only the ratio counts.
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

void compare_case(CaseVerdict& verdict, const CaseNumbers& now, const CaseNumbers& before) {
  verdict.numbers = numbers_beside(now, before);
  verdict.verdict = Verdict::Unchanged;
  std::vector<std::string> first;  // numbers that the old baseline did not record
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

GateRun self_check_static(std::span<const GateCase> cases, const DeviceSpec& device,
                          double threshold, const ThroughFile& through_file,
                          ProgressListener& progress) {
  const std::vector<Injection> all =
      injections(largest_threshold(cases, threshold), predicts_time(device));
  progress.begin("check", std::ssize(all) + 1);
  CheckedGate gate(cases, device, threshold);
  GateRun first = gate.run(nullptr, nullptr, false);
  Baseline baseline;
  baseline.compiler = CheckedGate::kCompiler;
  baseline.cases = first.numbers;
  baseline = through_file(baseline);
  GateRun run = gate.run(&baseline, nullptr, false);
  std::vector<int64_t> tried(run.verdicts.size());
  for (CaseVerdict& verdict : run.verdicts) {
    verdict.numbers.clear();
    if (verdict.verdict == Verdict::Pass || verdict.verdict == Verdict::Internal) continue;
    if (find_case(&baseline, verdict.name) == nullptr) continue;  // refused
    verdict.verdict = Verdict::Regression;
    verdict.findings.push_back("the gate fails: equal numbers do not pass");
  }
  for (const Injection& injection : all) {
    for (const bool other_walk : {false, true}) {
      const GateRun worse = gate.run(&baseline, &injection, other_walk);
      for (size_t i = 0; i < cases.size(); ++i) {
        if (!find_case(&baseline, cases[i].name) || !is_judged(cases[i].rules, injection.name)) {
          continue;
        }
        ++tried[i];
        const std::string fault = fault_of(worse.verdicts[i], injection.name, other_walk);
        if (fault.empty()) continue;
        run.verdicts[i].verdict = Verdict::Regression;
        run.verdicts[i].findings.push_back(fault);
      }
    }
    progress.advance(&injection - all.data() + 2, 0);
  }
  for (size_t i = 0; i < cases.size(); ++i) {
    if (run.verdicts[i].verdict != Verdict::Pass) continue;
    run.verdicts[i].findings = {
        format("equal numbers pass, {} worse ones of {} fail", tried[i], tried[i])};
  }
  run.numbers.clear();
  return run;
}

GateRun self_check_measured(std::span<const GateCase> cases, Runner& runner,
                            const MeasurePolicy& policy, ProgressListener& progress) {
  GateRun run;
  run.mode = policy.mode;
  progress.begin("check", static_cast<int64_t>(cases.size()));
  for (const GateCase& gate_case : cases) {
    run.verdicts.push_back(judge_guarded(gate_case, [&] {
      auto stopped_by = judge_case(gate_case, nullptr);
      if (!stopped_by) {
        runner.prepare(gate_case.problem);
        run.method = runner.method();
        stopped_by = judge_kernel(gate_case, runner);
      }
      return stopped_by ? *stopped_by : check_times(gate_case, runner, policy);
    }));
    progress.advance(static_cast<int64_t>(run.verdicts.size()), 0);
  }
  return run;
}

void report_update(GateRun& run, const Baseline& before, const Baseline& now) {
  for (CaseVerdict& verdict : run.verdicts) {
    if (verdict.verdict != Verdict::New) continue;
    const CaseNumbers* const old = find_case(&before, verdict.name);
    if (old != nullptr) {
      compare_case(verdict, *find_case(&now, verdict.name), *old);
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
        "registers and spills, by {}, are removed from the baseline: this run has no compiler",
        before.compiler));
  }
}

}  // namespace tilewright
