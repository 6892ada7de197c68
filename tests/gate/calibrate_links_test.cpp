#include "gate/calibrate_links.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "support/devices.hpp"
#include "support/error_message.hpp"
#include "support/fake_link_prober.hpp"
#include "tile/workload/rate_table.hpp"

namespace tilewright {
namespace {

using testing::FakeLinkProber;
using testing::h200;

LinkCalibration calibrated(FakeLinkProber& prober, const std::vector<int>& gpus) {
  ProgressListener silent;
  return calibrate_links(prober, h200(), gpus, silent);
}

TEST_CASE("links have the rates of both directions at once, and the faster way to store") {
  FakeLinkProber prober;
  const LinkCalibration c = calibrated(prober, {0, 1});
  const LinkRates& links = c.device.links;
  CHECK(links.store_bytes_per_us == doctest::Approx(0.9 * 350e3));
  CHECK(links.cta_store_bytes_per_us == doctest::Approx(0.9 * 350e3 / 40));
  CHECK(links.add_bytes_per_us == doctest::Approx(0.9 * 310e3));
  CHECK(links.load_bytes_per_us == doctest::Approx(0.9 * 290e3));
  CHECK(links.copy_bytes_per_us == doctest::Approx(0.9 * 390e3));
  CHECK(links.copy_us == doctest::Approx(19));
  CHECK(links.flag_us == 1.25);
  CHECK(c.device.gpus == 2);
  CHECK(c.pairs.size() == 1);
  CHECK(c.pairs.front().one_way.add_bytes_per_us == 310e3);
  CHECK(!c.ring);
  prober.vector_store = 400e3;
  CHECK(calibrated(prober, {0, 1}).device.links.store_bytes_per_us == doctest::Approx(360e3));
}

TEST_CASE("every two GPUs are a pair, and the ring goes once around all") {
  FakeLinkProber prober;
  const LinkCalibration c = calibrated(prober, {0, 2, 3});
  CHECK(c.pairs.size() == 3);
  CHECK(c.pairs[1].one_way.flows == std::vector<LinkFlow>{{0, 3}});
  CHECK(c.pairs[1].both_ways.flows == std::vector<LinkFlow>{{0, 3}, {3, 0}});
  REQUIRE(c.ring);
  CHECK(c.ring->flows == std::vector<LinkFlow>{{0, 2}, {2, 3}, {3, 0}});
  CHECK(c.device.gpus == 3);
  CHECK(prober.asked.size() == 3 * (2 * 3 + 1));
}

TEST_CASE("the slowest pair gives the rates, and the longest time") {
  FakeLinkProber prober;
  prober.slow_gpu = 2;
  const LinkCalibration c = calibrated(prober, {0, 1, 2});
  CHECK(c.device.links.store_bytes_per_us == doctest::Approx(0.45 * 350e3));
  CHECK(c.device.links.copy_bytes_per_us == doctest::Approx(0.45 * 390e3));
  CHECK(c.device.links.flag_us == 2.5);
}

TEST_CASE("nothing but the links changes, and they become the device's own") {
  FakeLinkProber prober;
  DeviceSpec device = h200();
  device.base = "h200";
  device.file_rates = {"tile.hit_clocks"};
  device.foreign_rates = {"links.copy_us", "tile.miss_clocks"};
  ProgressListener silent;
  DeviceSpec now = calibrate_links(prober, device, {0, 1}, silent).device;
  CHECK(now.foreign_rates == std::vector<std::string>{"tile.miss_clocks"});
  CHECK(now.file_rates.size() == 8);
  CHECK(now.file_rates.front() == "tile.hit_clocks");
  CHECK(now.file_rates.back() == "links.flag_us");
  now.links = device.links;
  now.gpus = device.gpus;
  now.file_rates = device.file_rates;
  now.foreign_rates = device.foreign_rates;
  CHECK(now == device);
  // Every rate of a GPU with rates of its own stays its own, in the order of the file.
  CHECK(calibrated(prober, {0, 1}).device.file_rates == h200().file_rates);
}

TEST_CASE("a copy's start stays above 0, and one GPU has no links") {
  FakeLinkProber prober;
  prober.copy_start_us = -1;
  CHECK(calibrated(prober, {0, 1}).device.links.copy_us > 0);
  CHECK(testing::contains(
      testing::error_message_of([&] { calibrated(prober, {0}); }, ExitCode::Environment),
      "two GPUs"));
}

}  // namespace
}  // namespace tilewright
