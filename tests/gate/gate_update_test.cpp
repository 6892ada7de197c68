#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "gate/gate_self_check.hpp"

namespace tilewright {
namespace {

CaseNumbers exact(const std::string& name, double us) {
  CaseNumbers numbers{name, workload_of({{4096, 4096, 4096}}), {}, {}, {}};
  numbers.exact = StaticNumbers{512, 0, 4, true, PredictedNumbers{us, 1e8, 3e7}, {}};
  return numbers;
}

CaseNumbers measured(const std::string& name, double ratio) {
  CaseNumbers numbers{name, workload_of({{4096, 4096, 4096}}), {}, {}, {}};
  numbers.measured = MeasuredNumbers{100, "lt", 104, {ratio, {ratio - 0.01, ratio + 0.01}}, 30};
  return numbers;
}

Baseline baseline_of(std::vector<CaseNumbers> cases) {
  Baseline baseline;
  baseline.cases = std::move(cases);
  return baseline;
}

// The run that an update from `before` to `now` reports.
GateRun compared(const Baseline& before, const Baseline& now) {
  GateRun run;
  for (const CaseNumbers& numbers : now.cases) {
    run.verdicts.push_back({numbers.name, Verdict::New, {}, {}, ""});
  }
  report_update(run, before, now);
  return run;
}

TEST_CASE("equal numbers are unchanged; other numbers and configs are reported old and new") {
  const Baseline before = baseline_of({exact("cube", 1349.42)});
  CHECK(compared(before, before).verdicts.at(0).verdict == Verdict::Unchanged);
  CHECK(compared(before, before).verdicts.at(0).findings.empty());
  Baseline now = baseline_of({exact("cube", 2820.79)});
  now.cases[0].config.stages = 2;
  const CaseVerdict changed = compared(before, now).verdicts.at(0);
  CHECK(changed.verdict == Verdict::Changed);
  REQUIRE(changed.findings.size() == 2);
  CHECK(changed.findings[0] == "predicted_us 1349.42 -> 2820.79 (+109.0 %)");
  CHECK(changed.findings[1].find("stages=2") == 0);
}

TEST_CASE("a number that the older baseline lacks is reported as recorded for the first time") {
  Baseline before = baseline_of({exact("cube", 10)});
  before.cases[0].exact->predicted.reset();
  const CaseVerdict verdict = compared(before, baseline_of({exact("cube", 10)})).verdicts.at(0);
  CHECK(verdict.verdict == Verdict::Changed);
  CHECK(verdict.findings.at(0).find("recorded for the first time: predicted_us 10.00") == 0);
}

TEST_CASE("cases are reported that come, go, or keep their name with another problem") {
  Baseline now = baseline_of({exact("kept", 10), exact("fresh", 10)});
  now.cases[0].problem.shapes[0].k = 64;
  const GateRun run = compared(baseline_of({exact("kept", 10), exact("lost", 10)}), now);
  REQUIRE(run.verdicts.size() == 3);
  CHECK(run.verdicts[0].verdict == Verdict::Changed);
  CHECK(run.verdicts[0].findings.at(0).find("problem 4096x4096x4096") == 0);
  CHECK(run.verdicts[1].verdict == Verdict::New);
  CHECK(run.verdicts[2].name == "lost");
  CHECK(run.verdicts[2].verdict == Verdict::Removed);
  CHECK(gate_exit_code(run.verdicts) == ExitCode::Good);
}

TEST_CASE("a measured ratio changes when the old one lies outside its interval; both are shown") {
  const Baseline before = baseline_of({measured("cube", 1.0)});
  const CaseVerdict near = compared(before, baseline_of({measured("cube", 1.005)})).verdicts.at(0);
  CHECK(near.verdict == Verdict::Unchanged);
  CHECK(near.findings.at(0) == "ratio 1.0000 -> 1.0050 (+0.5 %)");
  CHECK(compared(before, baseline_of({measured("cube", 1.02)})).verdicts.at(0).verdict ==
        Verdict::Changed);
}

TEST_CASE("registers dropped from the baseline are reported, and failures stay failures") {
  Baseline before = baseline_of({exact("cube", 10)});
  before.compiler = "NVRTC 13.0";
  CHECK(compared(before, baseline_of({exact("cube", 10)})).notes.at(0).find("NVRTC 13.0") !=
        std::string::npos);
  GateRun run;
  run.verdicts = {{"cube", Verdict::Regression, {}, {"cannot run"}, ""}};
  report_update(run, before, baseline_of({}));
  CHECK(run.verdicts.at(0).verdict == Verdict::Regression);
  CHECK(run.verdicts.size() == 1);
}

}  // namespace
}  // namespace tilewright
