#include "search/strategy.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "stats/random.hpp"
#include "support/devices.hpp"
#include "support/error_message.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

// Stages times rasters: two keys, times that fall towards one corner, predictions with errors of up
// to a third.
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
    const SearchProgress p = search_progress(configs, order);
    CHECK(p.reached.back() == 1);
    CHECK(std::is_sorted(p.reached.begin(), p.reached.end()));
    const auto to_99 = static_cast<size_t>(p.configs_to_99);
    CHECK(p.reached[to_99 - 1] >= 0.99);
    if (to_99 > 1) CHECK(p.reached[to_99 - 2] < 0.99);
  }
}

TEST_CASE("a random order needs half of the space to reach the best config, others less") {
  const std::vector<RecordedConfig> configs = made_up(2);
  const auto needed = [&configs](Strategy strategy) {
    return replay(strategy, configs, strategy == Strategy::Random ? 400 : 1).configs_to_99;
  };
  // The mean position of one among n in a random order is (n + 1) / 2.
  CHECK(std::abs(static_cast<double>(needed(Strategy::Random)) - 42.5) < 4);
  CHECK(needed(Strategy::Local) < 30);
  CHECK(needed(Strategy::Model) < 42);
  std::vector<RecordedConfig> exact = configs;
  for (RecordedConfig& config : exact) config.predicted_us = config.us;
  CHECK(replay(Strategy::Model, exact, 1).configs_to_99 == 1);
}

TEST_CASE("a log's times are medians per config, without references") {
  const Problem problem{{1024, 1024, 1024}};
  const std::string a = to_string(made_up(1)[0].config);
  const std::string b = to_string(made_up(1)[1].config);
  ProblemLog log;
  log.builds[a] = {};
  log.builds[b] = {};
  const auto us = [](double time) { return LaunchTime{time, ""}; };
  log.races[0] = {{{a, us(10)}, {b, us(30)}, {"cublasLt", us(1)}}, {{a, us(12)}}, {{a, us(11)}}};
  const std::vector<RecordedConfig> configs =
      recorded_configs(workload_of(problem), log, testing::h200());
  REQUIRE(configs.size() == 2);
  CHECK(configs[0].us + configs[1].us == 41);
  CHECK(configs[0].predicted_us > 0);
}

TEST_CASE("a config's time is that of its first race") {
  const std::string name = to_string(made_up(1)[0].config);
  ProblemLog log;
  log.builds[name] = {};
  log.races[0] = {{{name, {.us = 10}}}, {{name, {.us = 12}}}};
  log.races[1] = {{{name, {.us = 40}}}, {{name, {.us = 40}}}, {{name, {.us = 40}}}};
  CHECK(recorded_configs(workload_of({{1024, 1024, 1024}}), log, testing::h200()).front().us == 11);
}

// A corner of the space, with a few dozen configs in all.
std::vector<SearchSpace> corner() {
  return requested_spaces(parse_config(
      "family=sm90,cta=128x128x64,stages=4,schedule=cooperative,decomposition=data-parallel,"
      "swap_ab=false,evict_first=none"));
}

const Problem kShallowProblem{{1024, 1280, 512}};

TEST_CASE("an enumeration's configs are as many as counted, all different and legal") {
  for (const auto& spaces : {corner(), requested_spaces(parse_config("family=sm80"))}) {
    const Enumeration found = enumerate(workload_of(kShallowProblem), spaces, testing::h200());
    const LegalConfigs legal(found, spaces);
    REQUIRE(static_cast<int64_t>(legal.size()) == found.legal);
    const size_t step = std::max<size_t>(legal.size() / 500, 1);
    std::set<std::string> names;
    for (size_t i = 0; i < legal.size(); i += step) {
      CHECK(!reject_config(kShallowProblem, legal.at(i), testing::h200()));
      CHECK(names.insert(to_string(legal.at(i))).second);
    }
  }
}

TEST_CASE("steps of one key are all legal configs that differ in one key") {
  const std::vector<SearchSpace> spaces = corner();
  const Enumeration found = enumerate(workload_of(kShallowProblem), spaces, testing::h200());
  const LegalConfigs legal(found, spaces);
  const auto differing_keys = [](const TileConfig& a, const TileConfig& b) {
    const std::vector<ConfigKey> of_a = config_keys(a);
    const std::vector<ConfigKey> of_b = config_keys(b);
    REQUIRE(of_a.size() == of_b.size());
    int differing = 0;
    for (size_t i = 0; i < of_a.size(); ++i) differing += of_a[i] == of_b[i] ? 0 : 1;
    return differing;
  };
  for (size_t i = 0; i < legal.size(); i += legal.size() / 7) {
    std::set<std::string> wanted;
    for (size_t j = 0; j < legal.size(); ++j) {
      if (differing_keys(legal.at(i), legal.at(j)) == 1) wanted.insert(to_string(legal.at(j)));
    }
    std::set<std::string> steps;
    for (const TileConfig& step : legal.one_key_from(legal.at(i))) steps.insert(to_string(step));
    CHECK(!wanted.empty());
    CHECK(steps == wanted);
  }
}

TEST_CASE("a selection of legal configs is spread over all, or drawn from all") {
  const std::vector<SearchSpace> spaces = corner();
  const Enumeration found = enumerate(workload_of(kShallowProblem), spaces, testing::h200());
  const LegalConfigs legal(found, spaces);
  std::map<std::string, size_t> numbers;
  for (size_t i = 0; i < legal.size(); ++i) numbers[to_string(legal.at(i))] = i;
  const auto numbers_of = [&](Strategy strategy, size_t count, uint64_t seed) {
    std::vector<size_t> chosen;
    for (const TileConfig& config : legal.some(strategy, count, seed)) {
      chosen.push_back(numbers.at(to_string(config)));
    }
    return chosen;
  };
  CHECK(numbers_of(Strategy::Exhaustive, legal.size() + 5, 1).size() == legal.size());
  const std::vector<size_t> spread = numbers_of(Strategy::Exhaustive, 10, 1);
  for (size_t i = 1; i < spread.size(); ++i) {
    const double gap = static_cast<double>(spread[i] - spread[i - 1]);
    CHECK(gap == doctest::Approx(static_cast<double>(legal.size()) / 10).epsilon(0.2));
  }
  const std::vector<size_t> drawn = numbers_of(Strategy::Random, 10, 1);
  CHECK(std::set<size_t>(drawn.begin(), drawn.end()).size() == 10);
  CHECK(drawn == numbers_of(Strategy::Random, 10, 1));
  CHECK(drawn != numbers_of(Strategy::Random, 10, 2));
}

TEST_CASE("a misspelt strategy gets a suggestion") {
  CHECK(parse_strategy("local") == Strategy::Local);
  CHECK(testing::contains(testing::error_message_of([] { parse_strategy("radnom"); }),
                          "did you mean 'random'?"));
}

}  // namespace
}  // namespace tilewright
