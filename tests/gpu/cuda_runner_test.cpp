// The runner's promises: times that add up, counters that agree with arithmetic, refusals that say
// why.
#include "gpu/measure/cuda_runner.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <vector>

#include "base/error.hpp"
#include "stats/sample.hpp"
#include "support/gpu_bench.hpp"

namespace tilewright {
namespace {

Contender plain_contender() {
  const TileConfig config{.cta = {128, 128, 64},
                          .cluster = {},
                          .stages = 4,
                          .schedule = KernelSchedule::Cooperative,
                          .raster = {},
                          .l2_promotion_bytes = 128};
  return {.name = to_string(config), .config = config, .reference_algorithm = -1};
}

TEST_CASE("a round returns one plausible time a contender, in the order of the call") {
  const auto runner = make_cuda_runner(0, testing::h200(), testing::test_cache(), 1);
  const Problem problem{{2048, 2048, 2048}, DataType::BF16};
  runner->prepare(problem);
  std::vector<Contender> contenders = runner->reference_contenders();
  REQUIRE(!contenders.empty());
  contenders.push_back(plain_contender());
  std::vector<std::vector<double>> samples(contenders.size());
  for (int round = 0; round < 9; ++round) {
    const std::vector<LaunchTime> times = runner->time_round(contenders);
    REQUIRE(times.size() == contenders.size());
    for (size_t i = 0; i < times.size(); ++i) samples[i].push_back(returned_us(times[i]));
  }
  const double peak_us = flops(problem) / 1.07e15 * 1e6;  // 132 SMs x 4096 x 1.98 GHz
  for (const std::vector<double>& sample : samples) {
    CHECK(median(sample) > peak_us);
    CHECK(median(sample) < 50 * peak_us);
  }
}

// What the plain config counts on a problem, once it is right; where nothing is counted, says why.
std::optional<Counters> plain_counters(Runner& runner, const Problem& problem) {
  runner.prepare(problem);
  REQUIRE(runner.verify(plain_contender()).ok);
  const CounterReading reading = runner.count(plain_contender());
  if (!reading.counters) MESSAGE("no counters here: ", reading.why_not);
  return reading.counters;
}

TEST_CASE("counters of a launch are no less than the compulsory traffic") {
  const auto runner = make_cuda_runner(0, testing::h200(), testing::test_cache(), 1);
  const Problem problem{{8192, 8192, 1024}, DataType::BF16};
  const std::optional<Counters> counters = plain_counters(*runner, problem);
  if (!counters) return;
  const double inputs = 2.0 * (8192 + 8192) * 1024;
  CHECK(counters->dram_read_bytes > 0.95 * inputs);
  CHECK(counters->dram_read_bytes < 20 * inputs);
  CHECK(counters->l2_hit_pct > 30);
  CHECK(counters->tensor_active_pct > 30);
  CHECK(counters->tensor_active_pct <= 100);
  // Timing still works afterwards.
  CHECK(returned_us(runner->time_round(std::vector<Contender>{plain_contender()}).front()) > 0);
}

TEST_CASE("counters of a launch that copies its operands are not those of the copy alone") {
  const auto runner = make_cuda_runner(0, testing::h200(), testing::test_cache(), 1);
  const Problem problem{{2047, 2049, 2048}, DataType::BF16, {}, MatrixLayout::NT};
  const std::optional<Counters> counters = plain_counters(*runner, problem);
  if (!counters) return;
  // A copy has no tensor instruction and no tile in shared memory.
  CHECK(counters->tensor_active_pct > 10);
  CHECK(counters->shared_wavefronts > 0);
  CHECK(counters->dram_read_bytes > 0.95 * 2.0 * 2048 * (2047 + 2049));
}

TEST_CASE("operands beyond the device's memory are refused before anything runs") {
  const auto runner = make_cuda_runner(0, testing::h200(), testing::test_cache(), 1);
  const Problem problem{{1 << 20, 1 << 20, 64}, DataType::BF16};
  try {
    runner->prepare(problem);
    FAIL("2 TB were allocated");
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::Usage);
  }
}

}  // namespace
}  // namespace tilewright
