// The runner's contract: plausible times, counters that agree with arithmetic, refusals with a
// reason.
#include "gpu/measure/cuda_runner.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "gpu/contenders/kernel_store.hpp"
#include "stats/product_check.hpp"
#include "stats/sample.hpp"
#include "support/gpu_bench.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/plan.hpp"

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
  const Problem problem{{2048, 2048, 2048}, {DataType::BF16}};
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

TEST_CASE("launches with operands in L2 are the fastest, and every regime verifies results") {
  std::vector<double> median_us;
  for (const Regime regime : {Regime::Hot, Regime::Rotate, Regime::Cold}) {
    const auto runner = make_cuda_runner(0, testing::h200(), testing::test_cache(), 1, regime);
    runner->prepare(Problem{{512, 512, 512}, {DataType::BF16}});
    CHECK(regime_of(runner->method()) == regime);
    std::vector<Contender> round = runner->reference_contenders();
    round.push_back(plain_contender());
    runner->build({&*round.back().config, 1});
    std::vector<double> samples;
    for (int i = 0; i < 15; ++i) {
      const std::vector<LaunchTime> times = runner->time_round(round);
      REQUIRE(times.size() == round.size());
      samples.push_back(returned_us(times.back()));
    }
    CHECK(runner->verify_in_round(round).ok);
    median_us.push_back(median(samples));
  }
  CHECK(median_us[0] < 1.05 * median_us[1]);
  CHECK(median_us[0] < median_us[2]);
}

TEST_CASE("a launch among others is verified, and the clock is sampled") {
  const auto runner = make_cuda_runner(0, testing::h200(), testing::test_cache(), 1);
  runner->prepare(Problem{{1000, 1032, 2048}, {DataType::BF16}});
  std::vector<Contender> round = runner->reference_contenders();
  for (const char* const decomposition : {"data-parallel", "split-k:4:workspace", "stream-k"}) {
    const TileConfig config = config_of(parse_config(
        std::string("family=sm90,cta=128x128x64,stages=4,decomposition=") + decomposition));
    round.push_back({.name = to_string(config), .config = config, .reference_algorithm = -1});
  }
  for (size_t i = 0; i < round.size(); ++i) {
    std::rotate(round.begin(), round.begin() + 1, round.end());
    const Verification verification = runner->verify_in_round(round);
    CHECK_MESSAGE(verification.ok, round.back().name, ": ", verification.detail);
  }
  double sm_mhz = 0;
  for (const LaunchTime& time : runner->time_round(round)) sm_mhz = time.sm_mhz;
  CHECK(sm_mhz > 300);
  CHECK(sm_mhz < 3000);
}

TEST_CASE("a launch's joules lie between those of an idle device and of the power limit") {
  const auto runner = make_cuda_runner(0, testing::h200(), testing::test_cache(), 1);
  const auto watts_of = [&](const Problem& problem) {
    runner->prepare(problem);
    std::vector<double> joules;
    double us = 0;
    for (int turn = 0; turn < 3; ++turn) {
      const EnergyReading reading = runner->measure_energy(plain_contender(), 0.3);
      REQUIRE_MESSAGE(reading.energy, reading.why_not);
      joules.push_back(reading.energy->joules);
      us = reading.energy->us;
    }
    const auto [least, most] = std::minmax_element(joules.begin(), joules.end());
    CHECK(*most < 1.1 * *least);
    MESSAGE(to_string(problem), ": ", 1e3 * median(joules), " mJ, ", us, " us");
    return 1e6 * median(joules) / us;
  };
  for (const int64_t n : {1024, 4096}) {
    const double watts = watts_of({{n, n, n}, {DataType::BF16}});
    CHECK(watts > 120);
    CHECK(watts < 800);  // an H100 with a limit of 700 took 741
  }
}

TEST_CASE("a byte written beyond a launch's workspace is found") {
  const TileConfig config = config_of(
      parse_config("family=sm90,cta=128x128x64,stages=4,decomposition=split-k:4:workspace"));
  const Plan plan = make_plan(Problem{{512, 512, 4096}, {DataType::BF16}}, config, testing::h200());
  KernelStore kernels(architecture(testing::h200()), testing::test_cache());
  const LoadedPlan loaded = kernels.load(plan);
  kernels.fill_red_zones(loaded);
  CHECK(kernels.check_and_clear_red_zones(loaded).empty());
  kernels.fill_red_zones(loaded);
  const int64_t bytes = static_cast<int64_t>(kernels.scratch().bytes()) - kRedZoneBytes;
  const unsigned char stray = 0;
  copy_to_device(kernels.scratch().as<char>() + bytes + 3, &stray, 1);
  CHECK(kernels.check_and_clear_red_zones(loaded) == "it wrote a byte 3 behind the scratch");
}

// Counters of the plain config on a problem, after it is verified; without counters prints the
// reason.
std::optional<Counters> plain_counters(Runner& runner, const Problem& problem) {
  runner.prepare(problem);
  REQUIRE(runner.verify(plain_contender()).ok);
  const CounterReading reading = runner.count(plain_contender());
  if (!reading.counters) MESSAGE("no counters here: ", reading.why_not);
  return reading.counters;
}

TEST_CASE("counters of a launch are at least the compulsory traffic") {
  const auto runner = make_cuda_runner(0, testing::h200(), testing::test_cache(), 1);
  const Problem problem{{8192, 8192, 1024}, {DataType::BF16}};
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

TEST_CASE("counters of a launch that copies operands include the product's kernel") {
  const auto runner = make_cuda_runner(0, testing::h200(), testing::test_cache(), 1);
  const Problem problem{{2047, 2049, 2048}, {DataType::BF16, MatrixLayout::NT}};
  const std::optional<Counters> counters = plain_counters(*runner, problem);
  if (!counters) return;
  // A copy has no tensor instruction and no tile in shared memory.
  CHECK(counters->tensor_active_pct > 10);
  CHECK(counters->shared_wavefronts > 0);
  CHECK(counters->dram_read_bytes > 0.95 * 2.0 * 2048 * (2047 + 2049));
}

TEST_CASE("operands beyond the device's memory are refused before anything runs") {
  const auto runner = make_cuda_runner(0, testing::h200(), testing::test_cache(), 1);
  const Problem problem{{1 << 20, 1 << 20, 64}, {DataType::BF16}};
  try {
    runner->prepare(problem);
    FAIL("2 TB were allocated");
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::Usage);
  }
}

}  // namespace
}  // namespace tilewright
