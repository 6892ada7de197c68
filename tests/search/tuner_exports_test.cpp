// What a tune records for other stacks if they cannot express its answer.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "base/text.hpp"
#include "search/stack_support.hpp"
#include "search/tuner.hpp"
#include "support/fake_runner.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

// A tune on a machine of made-up times, and the times of all configs that ran.
struct MadeUpTune {
  TuneEntry entry;
  std::map<std::string, double> us;

  double true_ratio(const TileConfig& config) const {
    return us.at(to_string(config)) / us.at(to_string(entry.choice));
  }
};

// The model's times, except that configs which `stack` can express take a fifth longer.
MadeUpTune tune_against(Stack stack, const Workload& workload, uint64_t seed) {
  MadeUpTune made;
  testing::FakeRunner runner(seed);
  runner.time_us = [&](const TileConfig& config) {
    const auto [at, is_new] = made.us.emplace(to_string(config), 0);
    if (is_new) {
      const bool is_supported = why_unsupported(stack, workload, config).empty();
      at->second = estimate(make_plan(workload, config, testing::h200()), testing::h200()).us *
                   (is_supported ? 1.2 : 1);
    }
    return at->second;
  };
  TunePolicy policy;
  policy.seed = seed;
  ProgressListener silent;
  made.entry = tune(workload, runner, policy, silent).entry;
  return made;
}

TEST_CASE("a stack that cannot express the answer gets the fastest config that it can") {
  int64_t stood_in = 0;
  for (const Stack stack : kStacks) {
    for (const GemmShape& shape : {GemmShape{2048, 2048, 2048}, {256, 4096, 4096}}) {
      const Workload workload = workload_of({.shape = shape});
      const MadeUpTune made = tune_against(stack, workload, 11);
      CAPTURE(to_string(stack));
      CAPTURE(to_string(shape));
      for (const Stack other : kStacks) {
        const std::string name(to_string(other));
        const auto& exports = made.entry.exports;
        const auto at = std::find_if(exports.begin(), exports.end(),
                                     [&name](const auto& one) { return one.stack == name; });
        double least_us = std::numeric_limits<double>::infinity();
        for (const auto& [text, us] : made.us) {
          const TileConfig config = config_of(parse_config(text));
          if (why_unsupported(other, workload, config).empty()) least_us = std::min(least_us, us);
        }
        const bool is_supported = why_unsupported(other, workload, made.entry.choice).empty();
        REQUIRE((at != exports.end()) == (!is_supported && std::isfinite(least_us)));
        if (at == exports.end()) continue;
        CHECK(why_unsupported(other, workload, at->config).empty());
        const double true_ratio = made.true_ratio(at->config);
        CHECK(std::abs(at->ratio.ratio / true_ratio - 1) < 0.005);
        CHECK(at->ratio.interval.low <= at->ratio.ratio);
        CHECK(at->ratio.ratio <= at->ratio.interval.high);
        // Races with a noise of one percent choose it.
        CHECK(made.us.at(to_string(at->config)) <= least_us * 1.01);
        ++stood_in;
      }
    }
  }
  CHECK(stood_in >= 4);
}

TEST_CASE("a group has no exports for other stacks") {
  Workload group = workload_of({.shape = {512, 1024, 1024}});
  group.shapes.push_back({256, 1024, 1024});
  CHECK(tune_against(Stack::Cutlass, group, 3).entry.exports.empty());
}

}  // namespace
}  // namespace tilewright
