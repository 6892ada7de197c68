#include "gate/gate_measured.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

#include "support/fake_runner.hpp"

namespace tilewright {
namespace {

using testing::FakeRunner;

const std::vector<GateCase> kCases = {{"cube", workload_of({{4096, 4096, 4096}}), {}, ""}};

GateRun run(FakeRunner& runner, const Baseline* baseline, const MeasurePolicy& policy = {}) {
  ProgressListener silent;
  return run_measured_gate(kCases, runner, policy, baseline, silent);
}

// Ours takes `us`; the best reference takes 104.
FakeRunner machine(double us, double noise, uint64_t seed) {
  FakeRunner runner(seed);
  runner.time_us = [us](const TileConfig&) { return us; };
  runner.noise = noise;
  return runner;
}

Baseline baseline_at(double us) {
  FakeRunner runner = machine(us, 0.0, 1);
  const GateRun first = run(runner, nullptr);
  REQUIRE(gate_exit_code(first.verdicts) == ExitCode::Good);
  Baseline baseline;
  baseline.mode = GateMode::Baseline;
  baseline.method = first.method;
  baseline.cases = first.numbers;
  return baseline;
}

Verdict verdict_of(FakeRunner runner, const Baseline& baseline, const MeasurePolicy& policy = {}) {
  return run(runner, &baseline, policy).verdicts.at(0).verdict;
}

TEST_CASE("the verdict follows from the interval") {
  const auto answer = [](double low, double high) {
    return compare_ratio({(low + high) / 2, {low, high}}, 1.0, 0.02);
  };
  CHECK(answer(0.99, 1.01) == RatioAnswer::NotWorse);
  CHECK(answer(0.90, 0.97) == RatioAnswer::Slower);
  CHECK(answer(1.03, 1.05) == RatioAnswer::Better);
  // Straddles the limit of 0.98: narrow passes, wide is unclear.
  CHECK(answer(0.97, 0.99) == RatioAnswer::NotWorse);
  CHECK(answer(0.90, 1.00) == RatioAnswer::Unclear);
  // Wide, and still not worse by any reading.
  CHECK(answer(0.99, 1.20) == RatioAnswer::NotWorse);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(compare_ratio({nan, {nan, nan}}, 1.0, 0.02) == RatioAnswer::Unclear);
}

TEST_CASE("the same kernel passes against itself, whatever the noise's seed") {
  const Baseline baseline = baseline_at(100);
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    CHECK(verdict_of(machine(100, 0.01, seed), baseline) == Verdict::Pass);
  }
}

TEST_CASE("a slowdown beyond the threshold fails, one within it does not") {
  const Baseline baseline = baseline_at(100);
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    CHECK(verdict_of(machine(105, 0.01, seed), baseline) == Verdict::Regression);
    CHECK(verdict_of(machine(101, 0.005, seed), baseline) == Verdict::Pass);
  }
  FakeRunner slow = machine(105, 0.01, 1);
  const CaseVerdict verdict = run(slow, &baseline).verdicts.at(0);
  REQUIRE(verdict.findings.size() == 2);
  CHECK(verdict.findings[0].find("baseline 1.0400") != std::string::npos);
  CHECK(verdict.findings[1].find("confirm it") != std::string::npos);
}

TEST_CASE("a speed-up passes and suggests a new baseline") {
  CHECK(verdict_of(machine(90, 0.01, 1), baseline_at(100)) == Verdict::Improved);
}

TEST_CASE("too much noise is inconclusive, never a pass or a failure") {
  const Baseline baseline = baseline_at(100);
  MeasurePolicy few;
  few.rounds = 30;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    // At the limit of the threshold the noise hides on which side the ratio is; the rounds are
    // fixed.
    FakeRunner limit = machine(102, 0.9, seed);
    CHECK(run(limit, &baseline, few).verdicts.at(0).verdict == Verdict::Inconclusive);
  }
  FakeRunner noisy = machine(100, 0.9, 1);
  CHECK(gate_exit_code(run(noisy, nullptr, few).verdicts) == ExitCode::Inconclusive);
}

TEST_CASE("a noisy case gets more rounds, unless their number was given") {
  FakeRunner quiet = machine(100, 0.01, 1);
  FakeRunner noisy = machine(100, 0.9, 1);
  const auto rounds = [](FakeRunner& runner) {
    return run(runner, nullptr).numbers.at(0).measured->rounds;
  };
  CHECK(rounds(noisy) >= 2 * rounds(quiet));
}

TEST_CASE("a slow spell that fresh rounds do not confirm is inconclusive") {
  const Baseline baseline = baseline_at(100);
  FakeRunner runner(1);
  runner.noise = 0.002;
  // One round warms up, 30 rounds compare; the slow phase ends there.
  runner.time_us = [&runner](const TileConfig&) { return runner.rounds <= 31 ? 110.0 : 100.0; };
  MeasurePolicy policy;
  policy.rounds = 30;
  const CaseVerdict verdict = run(runner, &baseline, policy).verdicts.at(0);
  CHECK(verdict.verdict == Verdict::Inconclusive);
  CHECK(verdict.findings.at(1).find("do not confirm") != std::string::npos);
}

TEST_CASE("the ratio is to the reference's fastest algorithm, over at least 30 rounds") {
  FakeRunner runner = machine(100, 0.001, 3);
  const GateRun first = run(runner, nullptr);
  const MeasuredNumbers& numbers = *first.numbers.at(0).measured;
  CHECK(numbers.reference == "reference algorithm 1");
  CHECK(numbers.ratio.ratio == doctest::Approx(1.04).epsilon(0.01));
  CHECK(numbers.rounds >= 30);
  CHECK(runner.timed["reference algorithm 0"] == 6);
}

TEST_CASE("a ratio is compared with the baseline's reference algorithm while it exists") {
  const Baseline baseline = baseline_at(100);
  FakeRunner runner = machine(100, 0.0, 1);
  runner.reference_us = {90.0, 104.0};
  CHECK(run(runner, &baseline).verdicts.at(0).verdict == Verdict::Pass);
  CHECK(runner.timed["reference algorithm 0"] == 0);
  FakeRunner fewer = machine(100, 0.0, 1);
  fewer.reference_us = {104.0};
  const CaseVerdict verdict = run(fewer, &baseline).verdicts.at(0);
  CHECK(verdict.verdict == Verdict::Pass);
  CHECK(verdict.findings.at(0).find("was reference algorithm 1") != std::string::npos);
}

TEST_CASE("a kernel with a wrong result is never timed; its verdict outranks all others") {
  const Baseline baseline = baseline_at(100);
  FakeRunner runner(1);
  runner.is_wrong = [](const TileConfig&) { return true; };
  const GateRun wrong = run(runner, &baseline);
  CHECK(gate_exit_code(wrong.verdicts) == ExitCode::WrongResult);
  CHECK(wrong.verdicts[0].findings.at(0).find("D(0, 64)") != std::string::npos);
  CHECK(wrong.numbers.empty());
  CHECK(runner.rounds == 0);
}

TEST_CASE("a refused kernel is a regression") {
  const Baseline baseline = baseline_at(100);
  FakeRunner runner(1);
  runner.compiles = [](const TileConfig&) { return false; };
  CHECK(gate_exit_code(run(runner, &baseline).verdicts) == ExitCode::No);
  CHECK(runner.rounds == 0);
}

// Our kernel takes `two_us` with two stages, and 100 with the default number, as in the baseline.
FakeRunner by_stages(double two_us) {
  FakeRunner runner(1);
  runner.noise = 0.002;
  runner.time_us = [two_us](const TileConfig& config) { return config.stages == 2 ? two_us : 100; };
  return runner;
}

CaseVerdict ab_verdict(FakeRunner runner, const TileConfig& before) {
  Baseline baseline = baseline_at(100);
  baseline.mode = GateMode::Static;  // an A/B needs only configs
  baseline.method = {};
  baseline.cases[0].measured.reset();
  baseline.cases[0].config = before;
  MeasurePolicy policy;
  policy.mode = GateMode::Ab;
  return run(runner, &baseline, policy).verdicts.at(0);
}

TileConfig two_stages() {
  TileConfig config;
  config.cta = {128, 128, 64};
  config.stages = 2;
  return config;
}

TEST_CASE("an A/B times the baseline's config beside the suite's, without any library") {
  FakeRunner slower = by_stages(90);
  slower.reference_us.clear();
  const CaseVerdict worse = ab_verdict(slower, two_stages());
  CHECK(worse.verdict == Verdict::Regression);
  CHECK(worse.findings.at(0).find("parity 1.0000") != std::string::npos);
  CHECK(worse.findings.back().find("stages=") != std::string::npos);
  CHECK(worse.numbers.at(0).now == doctest::Approx(0.9).epsilon(0.01));
  CHECK(ab_verdict(by_stages(110), two_stages()).verdict == Verdict::Improved);
  CHECK(ab_verdict(by_stages(100), two_stages()).verdict == Verdict::Pass);
}

TEST_CASE("an A/B of equal configs is not timed; one that cannot run gives no verdict") {
  FakeRunner runner = by_stages(100);
  const CaseVerdict same = ab_verdict(runner, kCases[0].config);
  CHECK(same.verdict == Verdict::Pass);
  CHECK(same.findings.at(0).find("nothing to compare") != std::string::npos);
  TileConfig illegal = two_stages();
  illegal.stages = 40;
  CHECK(ab_verdict(by_stages(100), illegal).verdict == Verdict::Environment);
  FakeRunner broken = by_stages(100);
  broken.compiles = [](const TileConfig& config) { return config.stages != 2; };
  CHECK(ab_verdict(broken, two_stages()).verdict == Verdict::Environment);
}

TEST_CASE("slower than the library's best algorithm fails, faster is a plain pass") {
  MeasurePolicy policy;
  policy.mode = GateMode::Reference;
  const auto verdict = [&policy](double us) {
    FakeRunner runner = machine(us, 0.002, 1);
    return run(runner, nullptr, policy).verdicts.at(0);
  };
  CHECK(verdict(100).verdict == Verdict::Pass);
  CHECK(verdict(104).verdict == Verdict::Pass);
  CHECK(verdict(110).verdict == Verdict::Regression);
  CHECK(verdict(110).findings.back().find("reference algorithm 1") != std::string::npos);
}

ExitCode thrown(FakeRunner& runner, const Baseline* baseline, const MeasurePolicy& policy = {}) {
  try {
    run(runner, baseline, policy);
  } catch (const Error& error) {
    return error.code();
  }
  return ExitCode::Good;
}

TEST_CASE("evidence that fails a single case does not fail one of forty") {
  MeasurePolicy policy;
  policy.rounds = 8;  // chance that all lie below the limit: 1 in 256
  const auto verdicts = [&policy](size_t count) {
    std::vector<GateCase> cases(count, kCases[0]);
    for (size_t i = 0; i < count; ++i) cases[i].name = std::to_string(i);
    cases[0].config = two_stages();
    ProgressListener silent;
    FakeRunner before = by_stages(100);
    before.noise = 0;
    Baseline baseline;
    baseline.mode = GateMode::Baseline;
    const GateRun first = run_measured_gate(cases, before, {}, nullptr, silent);
    baseline.method = first.method;
    baseline.cases = first.numbers;
    FakeRunner now = by_stages(103);
    return run_measured_gate(cases, now, policy, &baseline, silent).verdicts;
  };
  CHECK(verdicts(1).front().verdict == Verdict::Regression);
  const std::vector<CaseVerdict> many = verdicts(40);
  CHECK(many.front().verdict == Verdict::Inconclusive);
  CHECK(many.front().worse.empty());
  CHECK(many.front().findings.back().find("of 40 cases") != std::string::npos);
  CHECK(many.back().verdict == Verdict::Pass);
  // With more rounds the number of cases does not matter.
  policy.rounds = 30;
  CHECK(verdicts(40).front().verdict == Verdict::Regression);
}

TEST_CASE("a missing reference, another method and Ctrl-C each end the gate with their exit code") {
  Baseline baseline = baseline_at(100);
  FakeRunner lonely(1);
  lonely.reference_us.clear();
  CHECK(thrown(lonely, nullptr) == ExitCode::Environment);
  FakeRunner runner(1);
  for (const auto what :
       {&MeasuringMethod::timer, &MeasuringMethod::data, &MeasuringMethod::reference}) {
    Baseline other = baseline;
    other.method.*what = "another 2.0";
    CHECK(thrown(runner, &other) == ExitCode::Environment);
  }
  CHECK(thrown(runner, &baseline) == ExitCode::Good);
  FakeRunner stopped(1);
  stopped.rounds_before_interrupt = 10;
  CHECK(thrown(stopped, nullptr) == ExitCode::Interrupted);
  clear_interruption();
  CHECK(stopped.rounds == 10);
}

}  // namespace
}  // namespace tilewright
