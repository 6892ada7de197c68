// Counters of launches that start several kernels: all of them count.
#include "gpu/measure/range_profiler.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/gpu_bench.hpp"
#include "support/sm90_configs.hpp"

namespace tilewright {
namespace {

constexpr double kSectorBytes = 32;

const std::vector<LaunchMetric> kMetrics = {
    {.name = "lts__t_sectors_op_read.sum"},
    {.name = "lts__t_sectors_op_write.sum"},
    {.name = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"},
    {.name = "lts__t_sector_hit_rate.pct", .weight = "lts__t_sectors.sum"}};

// One config on one problem, right and therefore built, loaded and with its memory.
class CountedLaunch {
 public:
  CountedLaunch(const Problem& problem, const std::string& config)
      : bench_(problem), config_(testing::sm90_config(config, 4)) {
    const Verification verification = bench_.run(config_);
    REQUIRE_MESSAGE(verification.ok, verification.detail);
  }

  void launch() {
    bench_.kernels().launch(bench_.plan_of(config_), {.operands = bench_.operands()});
  }
  MetricReading read(int times = 1) {
    return read_metrics(kMetrics, 0, [&] {
      for (int i = 0; i < times; ++i) launch();
    });
  }

 private:
  testing::GpuBench bench_;
  TileConfig config_;
};

bool has_counters(const MetricReading& reading) {
  if (!reading.why_not.empty()) MESSAGE("no counters here: ", reading.why_not);
  return reading.why_not.empty();
}

TEST_CASE("a launch of one kernel has that kernel's counters, and two launches twice as many") {
  CountedLaunch counted({{1024, 1024, 1024}, DataType::BF16},
                        "cta=128x128x64,schedule=cooperative");
  const MetricReading one = counted.read();
  if (!has_counters(one)) return;
  CHECK(one.kernels == 1);
  const MetricSeries alone =
      read_metrics_each(collected_metrics(kMetrics), 0, 1, [&](size_t) { counted.launch(); });
  REQUIRE(alone.values.size() == 1);
  // L2 also serves instructions and arguments: launches of one kernel differ by a few sectors.
  CHECK(one.values[2] == doctest::Approx(alone.values[0][2]).epsilon(0.02));
  CHECK(one.values[2] > 0);
  CHECK(one.values[3] == doctest::Approx(alone.values[0][3]).epsilon(0.05));
  const MetricReading two = counted.read(2);
  CHECK(two.kernels == 2);
  CHECK(two.values[2] == doctest::Approx(2 * one.values[2]).epsilon(0.02));
  CHECK(two.values[3] == doctest::Approx(one.values[3]).epsilon(0.05));
}

TEST_CASE("copied operands count with the product: both kernels' writes, and its stores") {
  const Problem problem{{2047, 2049, 2048}, DataType::BF16, {}, MatrixLayout::NT};
  CountedLaunch counted(problem, "cta=128x128x64,schedule=cooperative");
  const MetricReading launch = counted.read();
  if (!has_counters(launch)) return;
  CHECK(launch.kernels == 2);
  const double output = 2.0 * 2047 * 2049;
  const double copies = 2.0 * 2048 * (2047 + 2049);
  MESSAGE("writes ", kSectorBytes * launch.values[1], " B, D and copies ", output + copies, " B");
  CHECK(kSectorBytes * launch.values[1] >= output + copies);
  // The copies are read from L2 again, after the operands.
  CHECK(kSectorBytes * launch.values[0] >= 2 * copies);
}

TEST_CASE("a separate sum counts with the product: partial sums are written, and read") {
  const Problem problem{{256, 256, 65536}, DataType::BF16};
  CountedLaunch counted(problem,
                        "cta=128x128x64,schedule=cooperative,decomposition=split-k:32:workspace");
  const MetricReading launch = counted.read();
  if (!has_counters(launch)) return;
  CHECK(launch.kernels == 2);
  const double operands = 2.0 * 65536 * (256 + 256);
  const double partials = 4.0 * 32 * 256 * 256;
  const double output = 2.0 * 256 * 256;
  MESSAGE("writes ", kSectorBytes * launch.values[1], " B, reads ", kSectorBytes * launch.values[0],
          " B, partial sums ", partials, " B");
  CHECK(kSectorBytes * launch.values[1] >= partials + output);
  CHECK(kSectorBytes * launch.values[0] >= operands + partials);
}

}  // namespace
}  // namespace tilewright
