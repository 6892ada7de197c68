#include "gate/two_builds.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "stats/random.hpp"
#include "support/fake_runner.hpp"

namespace tilewright {
namespace {

using testing::FakeRunner;

const std::vector<GateCase> kBuilds = {{"cube", workload_of({{4096, 4096, 4096}}), {}, ""}};
const CaseThresholds kOnePercent = {{"cube", 0.01}};

// Processes of a build whose kernel takes `us`. Each process shifts its times by up to `shift`.
struct FakeBuild {
  double us = 100;
  double noise = 0.002;
  double shift = 0;
  uint64_t seed = 1;
  int opened = 0;

  BuildUnderTest under_test(std::span<const GateCase> cases = kBuilds) {
    return {cases, [this] {
              ++opened;
              auto runner = std::make_unique<FakeRunner>(seed++);
              Random random(1000 + seed);
              const double shifted = us * (1 + shift * (2 * random.uniform() - 1));
              runner->time_us = [shifted](const TileConfig&) { return shifted; };
              runner->noise = noise;
              return runner;
            }};
  }
};

MeasurePolicy few_rounds() {
  MeasurePolicy policy;
  policy.rounds = 40;
  return policy;
}

Verdict verdict_of(FakeBuild now, FakeBuild good = {.seed = 500}) {
  return judge_build(now.under_test(), good.under_test(), kOnePercent, few_rounds()).verdict;
}

TEST_CASE("a build is slower if two pairs of processes agree") {
  CHECK(verdict_of({.us = 102}) == Verdict::Regression);
  CHECK(verdict_of({.us = 100}) == Verdict::Pass);
  CHECK(verdict_of({.us = 90}) == Verdict::Pass);
  FakeBuild now{.us = 102};
  FakeBuild good{.seed = 500};
  judge_build(now.under_test(), good.under_test(), kOnePercent, few_rounds());
  CHECK(now.opened == 2);
  CHECK(good.opened == 2);
}

TEST_CASE("noise gives no verdict after five pairs of processes") {
  FakeBuild now{.us = 101, .noise = 0.9};
  FakeBuild good{.noise = 0.9, .seed = 500};
  CHECK(judge_build(now.under_test(), good.under_test(), kOnePercent, few_rounds()).verdict ==
        Verdict::Inconclusive);
  CHECK(now.opened == 5);
}

TEST_CASE("a lost case, an illegal one and a wrong kernel are worse at once") {
  FakeBuild good{.seed = 500};
  FakeBuild now{};
  const auto judged = [&](std::span<const GateCase> cases) {
    now.opened = 0;
    return judge_build(now.under_test(cases), good.under_test(), kOnePercent, few_rounds());
  };
  CHECK(judged({}).verdict == Verdict::Regression);
  CHECK(now.opened == 1);
  std::vector<GateCase> illegal = kBuilds;
  illegal[0].why_illegal = "stages: too many";
  CHECK(judged(illegal).verdict == Verdict::Regression);
  const auto open_wrong = [] {
    auto runner = std::make_unique<FakeRunner>(1);
    runner->is_wrong = [](const TileConfig&) { return true; };
    return runner;
  };
  CHECK(judge_build({kBuilds, open_wrong}, good.under_test(), kOnePercent, few_rounds()).verdict ==
        Verdict::Regression);
  // Nothing can be compared with a good build that is wrong itself.
  try {
    judge_build(now.under_test(), {kBuilds, open_wrong}, kOnePercent, few_rounds());
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::Environment);
  }
}

TEST_CASE("the limit lies between the good and the bad build, and only worse cases are compared") {
  std::vector<GateCase> cases = kBuilds;
  cases.push_back(cases[0]);
  cases[1].name = "other";
  cases[1].config.stages = 2;
  const auto open = [](double cube_us) {
    return [cube_us] {
      auto runner = std::make_unique<FakeRunner>(3);
      runner->noise = 0.001;
      runner->time_us = [cube_us](const TileConfig& c) { return c.stages == 2 ? 50 : cube_us; };
      return runner;
    };
  };
  const CaseThresholds own = {{"cube", 0.01}, {"other", 0.01}};
  const auto between = [&](double bad_us) {
    return thresholds_between(
        judge_build({cases, open(bad_us)}, {cases, open(100)}, own, few_rounds()), own);
  };
  const CaseThresholds little = between(101.4);
  REQUIRE(little.size() == 1);
  CHECK(little.at("cube") == doctest::Approx(0.0069).epsilon(0.05));
  CHECK(between(110).at("cube") == 0.01);
  CHECK(between(100).empty());
}

// Commits in a line. The kernel is slower from `planted` on; `broken` does not build.
struct Series {
  int commits = 24;
  int planted = 0;
  int broken = 0;
  double slowdown = 0.02;
  double noise = 0.02;
  double shift = 0.004;
  uint64_t seed = 1;

  FakeBuild build(int commit) const {
    return {.us = commit >= planted ? 100 * (1 + slowdown) : 100,
            .noise = noise,
            .shift = shift,
            .seed = seed * 10'000 + static_cast<uint64_t>(commit) * 50};
  }
};

// What a bisection finds: as git does it, a commit that cannot be tested is passed over in favour
// of its neighbour. Empty: BAD is no worse than GOOD.
std::optional<std::vector<int>> bisect(const Series& series) {
  const auto judge = [&](int commit, const CaseThresholds& thresholds) {
    FakeBuild good = series.build(0);
    good.seed += 7'000'000;
    FakeBuild now = series.build(commit);
    return judge_build(now.under_test(), good.under_test(), thresholds, few_rounds());
  };
  int good = 0;
  int bad = series.commits - 1;
  const BuildVerdict last = judge(bad, kOnePercent);
  if (last.verdict != Verdict::Regression) return std::nullopt;
  const CaseThresholds thresholds = thresholds_between(last, kOnePercent);
  std::vector<bool> skipped(static_cast<size_t>(series.commits));
  while (true) {
    std::vector<int> open;
    for (int commit = good + 1; commit < bad; ++commit) {
      if (!skipped[static_cast<size_t>(commit)]) open.push_back(commit);
    }
    if (open.empty()) break;
    const int commit = open[open.size() / 2];
    const Verdict verdict =
        commit == series.broken ? Verdict::Environment : judge(commit, thresholds).verdict;
    if (verdict == Verdict::Regression) {
      bad = commit;
    } else if (verdict == Verdict::Pass) {
      good = commit;
    } else {
      skipped[static_cast<size_t>(commit)] = true;
    }
  }
  std::vector<int> suspects;
  for (int commit = good + 1; commit <= bad; ++commit) suspects.push_back(commit);
  return suspects;
}

TEST_CASE("200 noisy series of 24 commits: 2 % are traced to their commit in at least 95 %") {
  Random random(7);
  int found = 0;
  int wrong = 0;
  for (uint64_t run = 1; run <= 200; ++run) {
    Series series{.seed = run};
    series.planted = 1 + static_cast<int>(random.below(23));
    series.broken = 1 + static_cast<int>(random.below(22));
    const auto suspects = bisect(series);
    // Beside a commit that does not build both are suspects.
    const bool beside = series.broken == series.planted || series.broken == series.planted - 1;
    const size_t most = beside ? 2 : 1;
    const bool holds =
        suspects && suspects->size() <= most &&
        std::find(suspects->begin(), suspects->end(), series.planted) != suspects->end();
    found += holds ? 1 : 0;
    wrong +=
        suspects && std::find(suspects->begin(), suspects->end(), series.planted) == suspects->end()
            ? 1
            : 0;
  }
  CAPTURE(found);
  CAPTURE(wrong);
  CHECK(found >= 190);
  CHECK(wrong <= 4);
}

TEST_CASE("100 noisy series without a slowdown: at most two name a commit") {
  int named = 0;
  for (uint64_t run = 1; run <= 100; ++run) {
    named += bisect({.planted = 12, .slowdown = 0, .seed = 300 + run}) ? 1 : 0;
  }
  CHECK(named <= 2);
}

}  // namespace
}  // namespace tilewright
