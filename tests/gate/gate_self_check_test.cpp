#include "gate/gate_self_check.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "gate/gate_numbers.hpp"
#include "support/devices.hpp"
#include "support/fake_runner.hpp"

namespace tilewright {
namespace {

std::vector<GateCase> one_case() {
  TileConfig config;
  config.cta = {128, 256, 64};
  config.stages = 4;
  return {{"cube", workload_of({{4096, 4096, 4096}}), config, ""}};
}

TEST_CASE("a static gate passes equal numbers and fails worse ones") {
  ProgressListener silent;
  const auto as_it_is = [](const Baseline& baseline) { return baseline; };
  const GateRun run = self_check_static(one_case(), testing::h200(), 0.01, as_it_is, silent);
  REQUIRE(run.verdicts.size() == 1);
  CHECK(run.verdicts[0].verdict == Verdict::Pass);
  CHECK(run.verdicts[0].findings.at(0) == "equal numbers pass, 16 worse ones of 16 fail");
}

TEST_CASE("the self-check fails if the file loses a number of the baseline") {
  ProgressListener silent;
  const auto check = [&](const std::function<void(StaticNumbers&)>& lose) {
    const auto through_file = [&](const Baseline& whole) {
      Baseline read = whole;
      for (CaseNumbers& numbers : read.cases) lose(*numbers.exact);
      return read;
    };
    return self_check_static(one_case(), testing::h200(), 0.01, through_file, silent)
        .verdicts.at(0)
        .verdict;
  };
  CHECK(check([](StaticNumbers& n) { n.walk.clear(); }) == Verdict::Regression);
  CHECK(check([](StaticNumbers& n) { n.predicted.reset(); }) == Verdict::Regression);
  CHECK(check([](StaticNumbers& n) { *n.predicted->us *= 1.1; }) == Verdict::Regression);
  CHECK(check([](StaticNumbers& n) { n.compiled.reset(); }) == Verdict::Regression);
}

CaseVerdict measured(testing::FakeRunner& runner, int64_t rounds = 0) {
  ProgressListener silent;
  MeasurePolicy policy;
  policy.rounds = rounds;
  return self_check_measured(one_case(), runner, policy, silent).verdicts.at(0);
}

double number(const CaseVerdict& verdict, const std::string& key) {
  for (const GateNumber& n : verdict.numbers) {
    if (n.key == key) return n.now;
  }
  FAIL("no number " << key);
  return 0;
}

TEST_CASE("a quiet machine passes, and the least slowdown it finds is just above the threshold") {
  testing::FakeRunner runner(1);
  runner.noise = 0.002;
  const CaseVerdict verdict = measured(runner);
  CHECK(verdict.verdict == Verdict::Pass);
  CHECK(number(verdict, "noise_pct") < 0.5);
  CHECK(number(verdict, "detectable_pct") > 1.0);
  CHECK(number(verdict, "detectable_pct") < 2.0);
  for (const GateNumber& n : verdict.numbers) CHECK_FALSE(n.is_bool);
}

TEST_CASE("a noisy machine is inconclusive; one that favours a position in the round fails") {
  testing::FakeRunner noisy(1);
  noisy.noise = 0.9;
  CHECK(measured(noisy, 30).verdict == Verdict::Inconclusive);
  testing::FakeRunner wrong(1);
  wrong.is_wrong = [](const TileConfig&) { return true; };
  CHECK(measured(wrong).verdict == Verdict::WrongResult);

  /// Takes longer under another name.
  class Unfair : public testing::FakeRunner {
   public:
    std::vector<LaunchTime> time_round(std::span<const Contender> contenders) override {
      std::vector<LaunchTime> times = FakeRunner::time_round(contenders);
      for (size_t i = 0; i < times.size(); ++i) {
        if (contenders[i].name != "cube") times[i].us *= 1.05;
      }
      return times;
    }
  };
  Unfair unfair;
  CHECK(measured(unfair).verdict == Verdict::Regression);
}

}  // namespace
}  // namespace tilewright
