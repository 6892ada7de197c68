#include "search/strategy.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "stats/random.hpp"
#include "support/complaint.hpp"
#include "support/devices.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

// Stages times rasters: two keys, times that fall towards one corner, predictions up to a third
// off.
std::vector<RecordedConfig> made_up(uint64_t seed) {
  Random random(seed);
  std::vector<RecordedConfig> configs;
  for (int stages = 2; stages <= 8; ++stages) {
    for (int factor = 1; factor <= 12; ++factor) {
      const TileConfig config =
          config_of(parse_config("family=sm90,cta=128x128x64,stages=" + std::to_string(stages) +
                                 ",raster=swizzle-merge:" + std::to_string(factor)));
      const double us = 100 + 10.0 * (8 - stages) + 5.0 * std::abs(factor - 7);
      configs.push_back({config, us, us * (1 + random.uniform() / 3)});
    }
  }
  return configs;
}

constexpr Strategy kAll[] = {Strategy::Model, Strategy::Exhaustive, Strategy::Random,
                             Strategy::Local};

TEST_CASE("every strategy measures every config once, and reaches the best") {
  const std::vector<RecordedConfig> configs = made_up(1);
  for (const Strategy strategy : kAll) {
    const std::vector<size_t> order = visit_order(strategy, configs, 5);
    CHECK(std::set<size_t>(order.begin(), order.end()).size() == configs.size());
    const Progression p = progression_of(configs, order);
    CHECK(p.reached.back() == 1);
    CHECK(std::is_sorted(p.reached.begin(), p.reached.end()));
    const auto to_99 = static_cast<size_t>(p.configs_to_99);
    CHECK(p.reached[to_99 - 1] >= 0.99);
    if (to_99 > 1) CHECK(p.reached[to_99 - 2] < 0.99);
  }
}

TEST_CASE("a random order needs half of the space for one best config; hints need less") {
  const std::vector<RecordedConfig> configs = made_up(2);
  const auto needed = [&configs](Strategy strategy) {
    return replay(strategy, configs, strategy == Strategy::Random ? 400 : 1).configs_to_99;
  };
  // The mean place of one among n in a random order is (n + 1) / 2.
  CHECK(std::abs(static_cast<double>(needed(Strategy::Random)) - 42.5) < 4);
  CHECK(needed(Strategy::Local) < 30);
  CHECK(needed(Strategy::Model) < 42);
  std::vector<RecordedConfig> exact = configs;
  for (RecordedConfig& config : exact) config.predicted_us = config.us;
  CHECK(replay(Strategy::Model, exact, 1).configs_to_99 == 1);
}

TEST_CASE("the times of a log are medians by config; references are none") {
  const Problem problem{{1024, 1024, 1024}};
  const std::string a = to_string(made_up(1)[0].config);
  const std::string b = to_string(made_up(1)[1].config);
  ProblemLog log;
  log.builds[a] = {};
  log.builds[b] = {};
  const auto us = [](double time) { return LaunchTime{time, ""}; };
  log.races[0] = {{{a, us(10)}, {b, us(30)}, {"cublasLt", us(1)}}, {{a, us(12)}}, {{a, us(11)}}};
  const std::vector<RecordedConfig> configs = recorded_configs(problem, log, testing::h200());
  REQUIRE(configs.size() == 2);
  CHECK(configs[0].us + configs[1].us == 41);
  CHECK(configs[0].predicted_us > 0);
}

TEST_CASE("a misspelt strategy is asked about") {
  CHECK(parse_strategy("local") == Strategy::Local);
  CHECK(testing::contains(testing::complaint_of([] { parse_strategy("radnom"); }),
                          "did you mean 'random'?"));
}

}  // namespace
}  // namespace tilewright
