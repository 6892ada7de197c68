#include "search/measured_bias.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "base/text.hpp"
#include "model/estimate.hpp"
#include "support/devices.hpp"
#include "support/sm90_configs.hpp"

namespace tilewright {
namespace {

TileConfig config_of_columns(int columns, const char* raster = "row") {
  return testing::sm90_config(format("cta=128x{}x64,raster={}", columns, raster), 4);
}

Workload sized_product(int64_t m, int64_t n, int64_t k) {
  return workload_of({.shape = {m, n, k}});
}

// Every config takes its predicted time, times `all`; tiles of 64 columns take `slow` times that.
Trial biased_trial(const Workload& problem, double all, double slow) {
  Trial trial{.problem = problem, .date = "2026-11-23", .predicted = {}, .times = {}};
  for (const int columns : {64, 96, 128, 160, 192}) {
    const TileConfig config = config_of_columns(columns);
    const double us =
        estimate(make_plan(problem, config, testing::h200()), testing::h200()).us * all;
    trial.times.push_back({config, columns == 64 ? us * slow : us});
  }
  trial.predicted = trial.times.front().config;
  return trial;
}

TEST_CASE("a kernel that was slower than predicted has a greater factor, in any raster") {
  const std::vector<Trial> trials = {biased_trial(sized_product(1024, 2048, 1024), 1, 1.2),
                                     biased_trial(sized_product(2048, 2048, 2048), 1.5, 1.2)};
  const MeasuredBias bias(trials, sized_product(1536, 2048, 1536), testing::h200());
  const double factor = bias.factor(config_of_columns(64));
  CHECK(factor > 1.1);
  CHECK(factor < 1.2);
  CHECK(bias.factor(config_of_columns(64, "swizzle-merge:4")) == factor);
  // What all kernels have in common is no bias, and neither is what was not measured.
  CHECK(bias.factor(config_of_columns(128)) == doctest::Approx(1));
  CHECK(bias.factor(config_of_columns(224)) == 1);
}

TEST_CASE("near trials weigh more than far ones, and a product's own trial counts for nothing") {
  const Trial slow = biased_trial(sized_product(1024, 2048, 1024), 1, 1.2);
  const Trial fast = biased_trial(sized_product(4096, 2048, 4096), 1, 0.9);
  const std::vector<Trial> trials = {slow, fast};
  const auto factor_at = [&trials](const Workload& at) {
    return MeasuredBias(trials, at, testing::h200()).factor(config_of_columns(64));
  };
  CHECK(factor_at(sized_product(1024, 2048, 1152)) > factor_at(sized_product(4096, 2048, 3968)));
  CHECK(factor_at(slow.problem) < 1);
  CHECK(factor_at(fast.problem) > 1);
}

TEST_CASE("trials of other types and layouts, and groups, have no factors") {
  const std::vector<Trial> trials = {biased_trial(sized_product(1024, 2048, 1024), 1, 1.2)};
  const auto factor_at = [&trials](const Workload& at) {
    return MeasuredBias(trials, at, testing::h200()).factor(config_of_columns(64));
  };
  CHECK(factor_at(sized_product(1024, 2048, 1152)) > 1);
  Workload other = sized_product(1024, 2048, 1152);
  other.kind.layout = MatrixLayout::NN;
  CHECK(factor_at(other) == 1);
  Workload group = sized_product(1024, 2048, 1152);
  group.shapes.push_back({512, 2048, 1152});
  CHECK(factor_at(group) == 1);
}

}  // namespace
}  // namespace tilewright
