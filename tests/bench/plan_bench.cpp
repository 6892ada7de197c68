// Times of proving the schedule of a million tiles, of enumerating the space of one problem, and of
// the interval of a hundred samples: what every answer of the program is made of.
#include <benchmark/benchmark.h>

#include <vector>

#include "search/enumerate.hpp"
#include "stats/sample.hpp"
#include "support/devices.hpp"
#include "support/plans.hpp"
#include "tile/plan/schedule_proof.hpp"

namespace tilewright {
namespace {

void proof_of_a_million_tiles(benchmark::State& state) {
  const Plan plan = testing::plan_of({.problem = "1000x1000x64",
                                      .cta = "1x1x1",
                                      .ctas = 132,
                                      .raster = "swizzle-merge:8",
                                      .decomposition = "stream-k"});
  for (auto _ : state) benchmark::DoNotOptimize(prove_schedule(plan));
}
BENCHMARK(proof_of_a_million_tiles)->Unit(benchmark::kMillisecond);

void space_of_8192(benchmark::State& state) {
  const DeviceSpec device = testing::h200();
  for (auto _ : state) {
    const Enumeration found = enumerate(workload_of({{8192, 8192, 8192}}), {sm90_space()}, device);
    state.counters["configs"] = static_cast<double>(found.enumerated);
  }
}
BENCHMARK(space_of_8192)->Unit(benchmark::kMillisecond);

void interval_of_100_samples(benchmark::State& state) {
  std::vector<double> sample;
  for (int i = 0; i < 100; ++i) sample.push_back(10 + i * 37 % 100 / 100.0);
  for (auto _ : state) benchmark::DoNotOptimize(median_interval(sample));
}
BENCHMARK(interval_of_100_samples)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace tilewright
