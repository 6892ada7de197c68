// How soon the ways to walk a space come near its best, on spaces that were timed whole on an H200
// (2026-11-22): 800 configs each of twelve small products, those of data-parallel kernels with four
// stages. No constant of the model or the search was fitted to them.

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "model/price.hpp"
#include "search/strategy.hpp"
#include "stats/sample.hpp"
#include "support/devices.hpp"
#include "support/recorded.hpp"

namespace tilewright {
namespace {

TEST_CASE(
    "the model's order holds a config within a hundredth of the best of 800 in its first 40") {
  std::map<std::string, std::vector<RecordedConfig>> spaces;
  for (const testing::Recorded& row :
       testing::recorded(TILEWRIGHT_SOURCE_DIR "/tests/data/strategies_h200.csv")) {
    const double predicted_us = estimate(row.problem, row.config, testing::h200()).us;
    spaces[to_string(row.problem)].push_back({row.config, row.numbers.at(0), predicted_us});
  }
  REQUIRE(spaces.size() == 12);
  constexpr size_t kMeasured = 40;
  std::map<Strategy, std::vector<double>> reached;
  std::vector<double> needed;
  for (const auto& named : spaces) {
    REQUIRE(named.second.size() == 800);
    for (const Strategy strategy : {Strategy::Model, Strategy::Local, Strategy::Random}) {
      const Progression progression = replay(strategy, named.second, 20);
      reached[strategy].push_back(progression.reached[kMeasured - 1]);
      if (strategy == Strategy::Model) {
        needed.push_back(static_cast<double>(progression.configs_to_99));
      }
    }
  }
  const double model = geometric_mean(reached[Strategy::Model]);
  const double local = geometric_mean(reached[Strategy::Local]);
  const double random = geometric_mean(reached[Strategy::Random]);
  MESSAGE("of the best by 40 configs: model ", model, ", local ", local, ", random ", random);
  MESSAGE("configs to 99 %: median ", median(needed));
  CHECK(model >= 0.99);
  CHECK(median(needed) <= 10);
  CHECK(local >= 0.98);
  // What 40 draws reach says how easy the spaces are.
  CHECK(random <= 0.97);
}

}  // namespace
}  // namespace tilewright
