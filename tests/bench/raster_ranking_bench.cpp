// Measures the time of a ranking: the replay of one raster, and of all known ones, at
// 8192x8192x8192.
#include <benchmark/benchmark.h>

#include "search/raster_ranking.hpp"
#include "support/devices.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

const Problem kProblem{{8192, 8192, 8192}};

TileConfig config_of(const char* raster) {
  return {
      .cta = parse_tile("128x256x64"), .cluster = {}, .stages = 4, .raster = parse_raster(raster)};
}

void replay_8192(benchmark::State& state, const char* raster) {
  const TileConfig config = config_of(raster);
  const DeviceSpec device = testing::h200();
  for (auto _ : state)
    benchmark::DoNotOptimize(replay_l2(make_plan(kProblem, config, device), device));
}
BENCHMARK_CAPTURE(replay_8192, row, "row")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay_8192, swizzle_merge_8, "swizzle-merge:8")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay_8192, hilbert, "hilbert")->Unit(benchmark::kMillisecond);

void rank_8192(benchmark::State& state) {
  const TileConfig config = config_of("row");
  const DeviceSpec device = testing::h200();
  for (auto _ : state) {
    const RasterRanking ranking = rank_known_rasters(kProblem, config, device);
    state.counters["rasters"] = static_cast<double>(ranking.rasters.size());
  }
}
BENCHMARK(rank_8192)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tilewright
