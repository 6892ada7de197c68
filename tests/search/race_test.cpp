#include "search/race.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "stats/sample.hpp"
#include "support/fake_runner.hpp"
#include "support/plans.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

using testing::config_of_stages;

std::vector<Contender> field(testing::FakeRunner& runner, int ours) {
  std::vector<Contender> contenders;
  for (int i = 1; i <= ours; ++i) {
    contenders.push_back({to_string(config_of_stages(i)), config_of_stages(i), -1});
  }
  for (const Contender& reference : runner.reference_contenders()) {
    contenders.push_back(reference);
  }
  return contenders;
}

TEST_CASE("every racing kernel gets one sample a round; one that left keeps its samples") {
  testing::FakeRunner runner;
  runner.time_us = [](const TileConfig& c) { return 100.0 + c.stages; };
  Race race(runner, field(runner, 4), 1, [] {});
  race.run(3);
  race.keep_fastest(2);
  race.run(5);
  for (const RaceEntry& entry : race.entries()) {
    CHECK(entry.samples_us.size() == (entry.racing ? 8U : 3U));
    CHECK(runner.timed[entry.contender.name] == static_cast<int>(entry.samples_us.size()));
  }
  CHECK(race.racing_by_median().size() == 2);
  CHECK(race.entries()[0].racing);
  CHECK(!race.entries()[2].racing);
  CHECK(race.entries()[6].racing);  // references stay
  CHECK(race.best_reference()->contender.reference_algorithm == 1);
}

TEST_CASE("a surely slower kernel leaves the race, the fastest never does") {
  testing::FakeRunner runner;
  runner.time_us = [](const TileConfig& c) { return c.stages == 3 ? 50.0 : 100.0 + c.stages; };
  Race race(runner, field(runner, 6), 1, [] {});
  race.run(10);
  race.drop_dominated(0.999);
  CHECK(race.racing_by_median().size() == 6);  // ten rounds cannot reach this confidence
  race.run(2);
  race.drop_dominated(0.999);
  REQUIRE(race.racing_by_median().size() == 1);
  CHECK(race.ours_by_median().front()->contender.config->stages == 3);
}

TEST_CASE("equal kernels leave a race no more often than the confidence allows") {
  constexpr int kRaces = 300;
  int left = 0;
  for (uint64_t seed = 1; seed <= kRaces; ++seed) {
    testing::FakeRunner runner(seed);
    Race race(runner, field(runner, 2), seed, [] {});
    race.run(40);
    race.drop_dominated(0.9);
    left += race.racing_by_median().size() == 1;
  }
  CHECK(left > 0);
  CHECK(left <= kRaces * 12 / 100);
}

TEST_CASE("the order of a round changes from round to round and with the seed only") {
  class Recorder : public testing::FakeRunner {
   public:
    std::vector<LaunchTime> time_round(std::span<const Contender> contenders) override {
      std::string order;
      for (const Contender& contender : contenders) order += contender.name + ";";
      orders.push_back(order);
      return FakeRunner::time_round(contenders);
    }
    std::vector<std::string> orders;
  };
  std::vector<std::vector<std::string>> orders;
  for (const uint64_t seed : {1U, 1U, 2U}) {
    Recorder runner;
    Race race(runner, field(runner, 5), seed, [] {});
    race.run(20);
    orders.push_back(runner.orders);
  }
  CHECK(orders[0] == orders[1]);
  CHECK(orders[0] != orders[2]);
  CHECK(std::set<std::string>(orders[0].begin(), orders[0].end()).size() >= 18);
}

}  // namespace
}  // namespace tilewright
