// Counters of several kernels as those of one launch, without a GPU.
#include "gpu/measure/launch_metrics.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "gpu/measure/range_profiler.hpp"

namespace tilewright {
namespace {

using Kernels = std::vector<std::vector<double>>;

const std::vector<LaunchMetric> kMetrics = {{.name = "bytes"},
                                            {.name = "hit rate", .weight = "sectors"},
                                            {.name = "busy", .weight = "cycles"},
                                            {.name = "miss rate", .weight = "sectors"}};

TEST_CASE("what is collected is each metric, then each weight once") {
  CHECK(collected_metrics(kMetrics) ==
        std::vector<std::string>{"bytes", "hit rate", "busy", "miss rate", "sectors", "cycles"});
  CHECK(collected_metrics(
            std::vector<LaunchMetric>{{.name = "part", .weight = "all"}, {.name = "all"}}) ==
        std::vector<std::string>{"part", "all"});
}

TEST_CASE("counts add, and a rate is that of all kernels' events together") {
  // A copy that misses nine times in ten, and a product that hits so often with three times as many
  // sectors, in four times as many cycles.
  const Kernels kernels = {{1e6, 10, 0, 90, 1000, 50}, {2e6, 90, 80, 10, 3000, 200}};
  const std::vector<double> launch = combine_kernels(kMetrics, kernels);
  REQUIRE(launch.size() == 4);
  CHECK(launch[0] == 3e6);
  CHECK(launch[1] == doctest::Approx(100.0 * (100 + 2700) / 4000));
  CHECK(launch[2] == doctest::Approx(100.0 * (0 + 160) / 250));
  CHECK(launch[3] == doctest::Approx(100.0 * (900 + 300) / 4000));
}

TEST_CASE("one kernel is the launch, to the last bit") {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> value(0.001, 1e9);
  for (int i = 0; i < 1000; ++i) {
    const Kernels one = {
        {value(random), value(random), value(random), value(random), value(random), value(random)}};
    CHECK(combine_kernels(kMetrics, one) ==
          std::vector<double>(one[0].begin(), one[0].begin() + 4));
  }
}

TEST_CASE("how kernels are grouped does not matter, and a mean lies between its parts") {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> percent(0, 100);
  std::uniform_real_distribution<double> count(1, 1e9);
  for (int i = 0; i < 1000; ++i) {
    Kernels kernels;
    for (int k = 0; k < 5; ++k) {
      kernels.push_back({count(random), percent(random), percent(random), percent(random),
                         count(random), count(random)});
    }
    const std::vector<double> launch = combine_kernels(kMetrics, kernels);
    std::vector<double> first =
        combine_kernels(kMetrics, Kernels(kernels.begin(), kernels.begin() + 2));
    first.push_back(kernels[0][4] + kernels[1][4]);
    first.push_back(kernels[0][5] + kernels[1][5]);
    const std::vector<double> grouped =
        combine_kernels(kMetrics, Kernels{first, kernels[2], kernels[3], kernels[4]});
    for (size_t m = 0; m < launch.size(); ++m) CHECK(grouped[m] == doctest::Approx(launch[m]));
    CHECK(launch[1] > 0);
    CHECK(launch[1] < 100);
  }
}

TEST_CASE("a kernel without events has no rate, and does not spoil the launch's") {
  const double none = std::nan("");
  const Kernels kernels = {{5, none, 10, none, 0, 100}, {5, 40, 10, 60, 10, 100}};
  CHECK(combine_kernels(kMetrics, kernels) == std::vector<double>{10, 40, 10, 60});
  CHECK(combine_kernels(kMetrics, Kernels{kernels[0]}) == std::vector<double>{5, 0, 10, 0});
}

TEST_CASE("the launch's counters have the values of their metrics") {
  const std::vector<double> values = {1, 2, 3, 4, 5};
  CHECK(counter_metrics().size() == values.size());
  CHECK(counters_of(values, 2) == Counters{.dram_read_bytes = 1,
                                           .dram_write_bytes = 2,
                                           .l2_hit_pct = 3,
                                           .tensor_active_pct = 4,
                                           .shared_wavefronts = 5,
                                           .passes = 2});
}

// As CUPTI plans them, for the chip of an H200.
TEST_CASE("weights are collected in the passes that the metrics take anyway") {
  std::vector<std::string> names;
  for (const LaunchMetric& metric : counter_metrics()) names.push_back(metric.name);
  CHECK(planned_passes(names, "GH100") == 2);
  CHECK(collected_metrics(counter_metrics()).size() > names.size());
  CHECK(planned_passes(collected_metrics(counter_metrics()), "GH100") == 2);
}

}  // namespace
}  // namespace tilewright
