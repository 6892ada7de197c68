// The model of the sm80 and skinny families against launches on an H200, 2026-11-21.
#include <doctest/doctest.h>

#include <string>

#include "model/price.hpp"
#include "model/tile_cost.hpp"
#include "support/devices.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/workload/product_bytes.hpp"

namespace tilewright {
namespace {

double predicted_us(const std::string& shape, const std::string& config) {
  const Problem problem{parse_shape(shape), {DataType::BF16}};
  return estimate(problem, config_of(parse_config(config)), testing::h200()).us;
}

TEST_CASE("predictions of the families on mma.sync stay near recorded medians") {
  struct Recorded {
    const char* shape;
    const char* config;
    double us;
    double within;
  };
  for (const Recorded& r : {
           Recorded{"8x8192x8192", "family=skinny,cta=8x16x128,k_warps=4,stages=2", 33.25, 0.06},
           {"8x28672x4096", "family=skinny,cta=8x16x128,k_warps=8,stages=2", 55.90, 0.06},
           {"8x4096x14336", "family=skinny,cta=8x16x128,k_warps=8,stages=2", 29.28, 0.06},
           {"8x4096x14336", "family=skinny,cta=8x32x128,k_warps=4,stages=2", 35.81, 0.15},
           {"8x7168x2048", "family=skinny,cta=8x16x128,k_warps=4,stages=2", 9.54, 0.06},
           {"8x6144x4096", "family=skinny,cta=8x16x128,k_warps=4,stages=2", 14.05, 0.06},
           {"16x8192x8192", "family=skinny,cta=16x16x64,k_warps=4,stages=2", 35.14, 0.06},
           {"4096x4096x4096", "family=sm80,cta=128x128x32,warps=2x2,stages=4,raster=row", 331.7,
            0.1},
           {"8193x2501x5008", "family=sm80,cta=128x128x32,warps=2x2,stages=5,raster=row", 518.6,
            0.1},
           {"65x253x4096",
            "family=sm80,cta=16x64x64,warps=1x4,stages=5,raster=row,decomposition=split-k:2", 9.79,
            0.3},
       }) {
    CAPTURE(r.shape);
    CAPTURE(r.config);
    const double us = predicted_us(r.shape, r.config);
    CAPTURE(us);
    CHECK(us > r.us * (1 - r.within));
    CHECK(us < r.us * (1 + r.within));
  }
}

TEST_CASE("no prediction is faster than memory or the tensor cores allow") {
  const DeviceSpec device = testing::h200();
  for (const char* const shape : {"1x64x8", "7x4096x4096", "16x100000x512", "16x512x100000"}) {
    for (const char* const config : {"family=skinny,cta=16x16x64,k_warps=4,stages=2",
                                     "family=sm80,cta=16x64x64,warps=1x4,stages=4,raster=row",
                                     "family=sm80,cta=128x128x32,warps=2x2,stages=4,raster=row"}) {
      const Problem problem{parse_shape(shape), {DataType::BF16}};
      const double us = predicted_us(shape, config);
      CHECK(us > operand_bytes(problem) / (1.05 * device.dram_bytes_per_s) * 1e6);
      CHECK(us > flops(problem) /
                     (device.tensor_flops_per_clock_per_sm * device.sm_count *
                      device.sustained_clock_hz) *
                     1e6);
    }
  }
}

// For any number of slices: each stores its share of every sum to L2, and each share is loaded
// once.
TEST_CASE("partial sums of split-K pass through L2 twice") {
  DeviceSpec slow = testing::h200();
  DeviceSpec fast = slow;
  fast.l2_bytes_per_clock *= 1e9;
  const Problem problem{{256, 384, 8192}};
  for (const int slices : {2, 3, 8}) {
    for (const char* const reduction : {"serial", "workspace"}) {
      const TileConfig config = config_of(parse_config(
          "family=sm80,cta=128x128x32,warps=2x2,stages=4,raster=row,decomposition=split-k:" +
          std::to_string(slices) + ":" + reduction));
      const auto tail_us = [&](const DeviceSpec& device) {
        return price_of(make_plan(problem, config, device), device).tail_us;
      };
      const double bytes = 2.0 * sizeof(float) * 256 * 384 * slices;
      const double us = bytes / (slow.l2_bytes_per_clock * slow.sustained_clock_hz) * 1e6;
      CHECK(tail_us(slow) - tail_us(fast) == doctest::Approx(us).epsilon(1e-6));
    }
  }
}

// Copies through registers cost time; so does a number of CTAs that does not fit the
// multiprocessors.
TEST_CASE("narrow copies and ragged waves are predicted slower") {
  const std::string config = "family=sm80,cta=128x128x64,warps=2x4,stages=3,raster=row";
  CHECK(predicted_us("4096x4096x4097", config) > 1.2 * predicted_us("4096x4096x4096", config));
  const std::string skinny = "family=skinny,cta=16x16x64,stages=3,k_warps=";
  CHECK(predicted_us("16x8192x8192", skinny + "1") > predicted_us("16x8192x8192", skinny + "4"));
}

}  // namespace
}  // namespace tilewright
