#include "search/bench.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "support/fake_runner.hpp"
#include "support/plans.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

using testing::config_of_stages;

const Problem kBenchProblem{{1024, 1024, 1024}};

std::vector<BenchConfig> configs(std::initializer_list<int> stages) {
  std::vector<BenchConfig> list;
  for (const int s : stages) list.push_back({"stages=" + std::to_string(s), config_of_stages(s)});
  return list;
}

BenchResult run(testing::FakeRunner& runner, const std::vector<BenchConfig>& list,
                const BenchPolicy& policy = {}) {
  ProgressListener silent;
  return bench(workload_of(kBenchProblem), runner, list, policy, silent);
}

TEST_CASE("ratios are the baseline's time over each row's") {
  testing::FakeRunner runner;
  runner.time_us = [](const TileConfig& c) { return 50.0 * c.stages; };
  runner.reference_us = {200, 150};
  const BenchResult alone = run(runner, configs({2, 4}));
  CHECK(alone.baseline.find("1: ") == 0);
  CHECK(alone.rows[0].ratio->ratio == 1);
  CHECK(alone.rows[1].ratio->ratio == doctest::Approx(0.5).epsilon(0.01));
  const BenchResult against = run(runner, configs({2, 4}), {.against_reference = true});
  CHECK(against.baseline == "reference algorithm 1");
  CHECK(against.rows[0].ratio->ratio == doctest::Approx(1.5).epsilon(0.01));
  CHECK(against.rows[1].ratio->ratio == doctest::Approx(0.75).epsilon(0.01));
  CHECK(against.rounds == 320);
}

TEST_CASE("the same config twice has a ratio whose interval contains 1") {
  testing::FakeRunner runner;
  const BenchResult result = run(runner, configs({3, 3}), {.rounds = 80});
  CHECK(result.rounds == 80);
  CHECK(result.rows[1].ratio->interval.low <= 1.001);
  CHECK(result.rows[1].ratio->interval.high >= 0.999);
  CHECK(result.rows[1].ratio->ratio != 1);
}

TEST_CASE("wrong and refused configs get a row and no time") {
  testing::FakeRunner runner;
  runner.compiles = [](const TileConfig& c) { return c.stages != 2; };
  runner.is_wrong = [](const TileConfig& c) { return c.stages == 3; };
  const BenchResult result = run(runner, configs({2, 3, 4}));
  CHECK(!result.rows[0].timing);
  CHECK(!result.rows[0].wrong);
  CHECK(result.rows[0].why_not == "spills 16 bytes");
  CHECK(result.rows[1].wrong);
  CHECK(!result.rows[1].timing);
  CHECK(result.rows[2].timing.has_value());
  CHECK(runner.timed.size() == 1);
  testing::FakeRunner all_wrong;
  all_wrong.is_wrong = [](const TileConfig&) { return true; };
  CHECK(run(all_wrong, configs({4})).baseline.empty());
}

TEST_CASE("beside a neighbour rows are verified in rounds, and each has the neighbour's rate") {
  testing::FakeRunner runner;
  runner.is_wrong_in_rounds = [](const TileConfig& c) { return c.stages == 3; };
  runner.beside_gb_per_s = [](const Contender& contender) {
    return contender.config ? 100.0 * contender.config->stages : 900.0;
  };
  const BenchPolicy policy{.against_reference = true, .beside = Beside{BesideKind::Collective, 8}};
  const BenchResult result = run(runner, configs({2, 3, 4}), policy);
  REQUIRE(result.neighbour);
  CHECK(result.neighbour->beside == *policy.beside);
  CHECK(result.neighbour->alone_gb_per_s == 1180);
  CHECK(result.neighbour->baseline_gb_per_s == 900.0);
  CHECK(result.rows[0].beside_gb_per_s == 200.0);
  CHECK(result.rows[1].wrong);
  CHECK(!result.rows[1].beside_gb_per_s);
  CHECK(result.rows[2].beside_gb_per_s == 400.0);
  testing::FakeRunner alone;
  CHECK(!run(alone, configs({2, 3})).neighbour);
  CHECK(std::ranges::count(alone.calls, "neighbour") == 0);
  const BenchResult unmeasured = run(alone, configs({2}), {.beside = Beside{}});
  CHECK(unmeasured.neighbour->beside.multiprocessors == 32);
  CHECK(!unmeasured.neighbour->why_not.empty());
  CHECK(unmeasured.rows[0].timing.has_value());
}

TEST_CASE("an interrupt stops between rounds") {
  testing::FakeRunner runner;
  runner.rounds_before_interrupt = 3;
  CHECK_THROWS_AS(run(runner, configs({4})), Error);
  clear_interruption();
  CHECK(runner.rounds == 3);
}

}  // namespace
}  // namespace tilewright
