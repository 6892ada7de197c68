// Counters of our own launches: all kernels of a launch in one count, and the bytes of partial
// sums.
#include "gpu/measure/range_profiler.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>

#include "base/text.hpp"
#include "gpu/measure/launch_metrics.hpp"
#include "support/gpu_bench.hpp"
#include "support/sm90_configs.hpp"

namespace tilewright {
namespace {

// Counters of one config on one problem, after verification, so that it is built, loaded and has
// its memory. Empty without counters.
std::optional<Counters> counted(const Problem& problem, const std::string& text, int times = 1) {
  static const L2Sweep sweep(testing::h200(), testing::test_cache());
  testing::GpuBench bench(problem);
  const TileConfig config = testing::sm90_config(text, 4);
  const Verification verification = bench.run(config);
  REQUIRE_MESSAGE(verification.ok, verification.detail);
  const LaunchReadings readings = read_launches(counter_metrics(), 0, sweep, 1, [&](size_t) {
    for (int i = 0; i < times; ++i) {
      bench.kernels().launch(bench.plan_of(config), {.operands = bench.operands()});
    }
  });
  if (!readings.why_not.empty()) {
    MESSAGE("no counters here: ", readings.why_not);
    return std::nullopt;
  }
  const LaunchReading& reading = readings.launches.front();
  return counters_of(reading.launch, reading.swept, readings.passes);
}

TEST_CASE("a product that fits in L2 reads and writes DRAM once, launched once or twice") {
  const Problem problem{{1024, 1024, 1024}, {DataType::BF16}};
  const char* const config = "cta=128x128x64,schedule=cooperative";
  const auto one = counted(problem, config);
  if (!one) return;
  const auto two = counted(problem, config, 2);
  const double bytes = 2.0 * 1024 * 1024;
  CHECK(one->dram_read_bytes == doctest::Approx(2 * bytes).epsilon(0.02));
  CHECK(one->dram_write_bytes == doctest::Approx(bytes).epsilon(0.02));
  CHECK(two->dram_read_bytes == doctest::Approx(2 * bytes).epsilon(0.02));
  CHECK(two->dram_write_bytes == doctest::Approx(bytes).epsilon(0.02));
  CHECK(two->shared_wavefronts == doctest::Approx(2 * one->shared_wavefronts).epsilon(0.02));
  // 8 x 8 tiles read each operand 8 times, but a group of multiprocessors may read a line together.
  CHECK(one->l2_hit_pct < 100.0 * 7 / 8 + 1);
  CHECK(one->l2_hit_pct > 60);
  CHECK(1 - two->l2_hit_pct / 100 == doctest::Approx((1 - one->l2_hit_pct / 100) / 2).epsilon(0.1));
}

TEST_CASE("a decode-like product writes its output and nothing else") {
  const Problem problem{{16, 8192, 8192}, {DataType::BF16}};
  const auto launch = counted(problem, "cta=64x64x64,schedule=cooperative");
  if (!launch) return;
  CHECK(launch->dram_read_bytes == doctest::Approx(2.0 * 8192 * (8192 + 16)).epsilon(0.01));
  CHECK(launch->dram_write_bytes == doctest::Approx(2.0 * 8192 * 16).epsilon(0.1));
}

TEST_CASE("copied operands count with the product: both kernels' writes") {
  const Problem problem{{2047, 2049, 2048}, {DataType::BF16, MatrixLayout::NT}};
  const auto launch = counted(problem, "cta=128x128x64,schedule=cooperative");
  if (!launch) return;
  const double output = 2.0 * 2047 * 2049;
  const double copies = 2.0 * 2048 * (2112 + 2112);  // rows padded to whole lines
  CHECK(launch->dram_write_bytes == doctest::Approx(output + copies).epsilon(0.03));
  CHECK(launch->dram_read_bytes >= 2.0 * 2048 * (2047 + 2049));
}

TEST_CASE("partial sums of every reduction are written back at most once, reduce-scatter too") {
  const Problem problem{{256, 256, 65536}, {DataType::BF16}};
  const double operands = 2.0 * 65536 * (256 + 256);
  const double partials = 4.0 * 32 * 256 * 256;
  const double output = 2.0 * 256 * 256;
  for (const char* const reduction :
       {"workspace", "reduce-scatter", "atomic", "atomic-tma", "serial", "serial-tma"}) {
    const auto launch = counted(
        problem,
        format("cta=128x128x64,schedule=cooperative,decomposition=split-k:32:{}", reduction));
    if (!launch) return;
    MESSAGE(std::string(reduction), ": reads ", launch->dram_read_bytes, ", writes ",
            launch->dram_write_bytes, ", operands ", operands, ", partial sums ", partials);
    CHECK(launch->dram_read_bytes >= 0.99 * operands);
    CHECK(launch->dram_write_bytes >= 0.99 * output);
    CHECK(launch->dram_write_bytes <= 1.05 * (partials + output) + 2e4);
    CHECK(launch->tensor_active_pct > 5);
  }
}

}  // namespace
}  // namespace tilewright
