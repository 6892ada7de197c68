#include "gate/calibrate.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/estimate.hpp"
#include "support/devices.hpp"
#include "support/error_message.hpp"
#include "support/fake_prober.hpp"
#include "support/fake_runner.hpp"

namespace tilewright {
namespace {

using testing::FakeProber;
using testing::h200;

std::vector<TimedProduct> timed_on(const DeviceSpec& device, std::vector<TimedProduct> products) {
  for (TimedProduct& p : products) p.measured_us = estimate(p.problem, p.config, device).us;
  return products;
}

// A device with exactly the model's times, but other rates than the preset's.
DeviceSpec truth(const ProbedRates& probed, double clock_hz, double launch_us) {
  DeviceSpec device =
      solve_rates(h200(), probed, timed_on(h200(), depth_products(h200())), {}).device;
  device.sustained_clock_hz = clock_hz;
  device.l2_bytes_per_clock = probed.shared_l2_bytes_per_s / clock_hz;
  device.launch_us = launch_us;
  return device;
}

ProbedRates probed() {
  FakeProber prober;
  ProgressListener silent;
  return probe_rates(prober, h200(), silent);
}

TEST_CASE("calibration finds the rates that made the measurements") {
  const ProbedRates p = probed();
  const std::vector<TimedProduct> depths = depth_products(h200());
  const std::vector<TimedProduct> samples = sample_products(h200());
  for (const double clock_hz : {1.2e9, 1.9e9}) {
    for (const double launch_us : {0.5, 6.0}) {
      CAPTURE(clock_hz);
      CAPTURE(launch_us);
      const DeviceSpec hidden = truth(p, clock_hz, launch_us);
      const Calibration c =
          solve_rates(h200(), p, timed_on(hidden, depths), timed_on(hidden, samples));
      CHECK(c.device.sustained_clock_hz == doctest::Approx(clock_hz).epsilon(0.005));
      CHECK(c.device.launch_us == doctest::Approx(launch_us).epsilon(0.05));
      for (const TimedProduct& product : c.products) CHECK(std::abs(residual_pct(product)) < 2);
    }
  }
}

TEST_CASE("probes become rates; the knee is where reads slow down") {
  const ProbedRates p = probed();
  const Calibration solved = solve_rates(h200(), p, timed_on(h200(), depth_products(h200())), {});
  const DeviceSpec& device = solved.device;
  CHECK(device.dram_bytes_per_s == 4e12);
  // 6000 bytes per clock at 1.9 GHz, the clock of the reads.
  CHECK(device.l2_bytes_per_clock * device.sustained_clock_hz == doctest::Approx(6000 * 1.9e9));
  CHECK(device.tensor_flops_per_clock_per_sm == 4080);
  // Between the last working set that fits in 30 MiB and the first that does not.
  CHECK(solved.read_knee_bytes >= 28 << 20);
  CHECK(solved.read_knee_bytes <= 36 << 20);
  CHECK(p.l2_clocks == TwoLevels{210, 270, 1024});
  CHECK(p.working_sets.back().bytes == 2 * h200().l2_bytes);
  CHECK(device.sm_count == h200().sm_count);
}

TEST_CASE("products of one wave give the time of one k as a slope") {
  const std::vector<TimedProduct> depths = depth_products(h200());
  for (const TimedProduct& p : depths) {
    const TileCoord tiles = tile_grid(p.problem.shape, p.config.cta);
    CHECK(tiles.m * tiles.n <= h200().sm_count);
    CHECK(tiles.m * tiles.n > 0.9 * h200().sm_count);
  }
  const Calibration c = solve_rates(h200(), probed(), timed_on(h200(), depths), {});
  const double longest = c.depths.back().measured_us - c.depths.front().measured_us;
  CHECK(c.depth.slope * (4096 - 256) == doctest::Approx(longest).epsilon(0.05));
}

TEST_CASE("a product's time is the median of its rounds; one that does not build is an error") {
  testing::FakeRunner runner;
  runner.time_us = [](const TileConfig&) { return 42.0; };
  ProgressListener silent;
  std::vector<TimedProduct> products = depth_products(h200());
  time_products(products, runner, silent);
  for (const TimedProduct& p : products) CHECK(p.measured_us == doctest::Approx(42).epsilon(0.02));
  CHECK(std::count(runner.calls.begin(), runner.calls.end(), "prepare") ==
        static_cast<std::ptrdiff_t>(products.size()));
  runner.compiles = [](const TileConfig&) { return false; };
  CHECK_THROWS_WITH_AS(time_products(products, runner, silent), doctest::Contains("spills"), Error);
}

}  // namespace
}  // namespace tilewright
