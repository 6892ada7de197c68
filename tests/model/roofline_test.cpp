#include "model/roofline.hpp"

#include <doctest/doctest.h>

#include "support/devices.hpp"

namespace tilewright {
namespace {

TEST_CASE("the roofline is arithmetic for cubes and bytes for a few rows") {
  const DeviceSpec device = testing::h200();
  // 4096 flops per clock on each of 132 SMs.
  const Roofline cube = roofline(workload_of({.shape = {8192, 8192, 8192}}), device);
  const double clocks = 2.0 * 8192 * 8192 * 8192 / (4096.0 * 132);
  CHECK(cube.tensor_us == doctest::Approx(clocks / device.sustained_clock_hz * 1e6));
  CHECK(bound_name(cube) == std::string("tensor"));
  CHECK(least_us(cube) == cube.tensor_us);
  const Roofline rows = roofline(workload_of({.shape = {16, 8192, 8192}}), device);
  CHECK(rows.dram_us == doctest::Approx(2.0 * (16 * 8192 + 8192.0 * 8192 + 16 * 8192) /
                                        device.dram_bytes_per_s * 1e6));
  CHECK(bound_name(rows) == std::string("DRAM"));
  CHECK(least_us(rows) == rows.dram_us);
}

TEST_CASE("the roofline counts bytes of wider results and of a bias") {
  const DeviceSpec device = testing::h200();
  const Problem plain{.shape = {4096, 4096, 64}};
  Problem wide = plain;
  wide.kind.epilogue.out_dtype = DataType::F32;
  Problem biased = plain;
  biased.kind.epilogue.bias = true;
  CHECK(roofline(workload_of(wide), device).dram_us >
        1.8 * roofline(workload_of(plain), device).dram_us);
  CHECK(roofline(workload_of(biased), device).dram_us >
        roofline(workload_of(plain), device).dram_us);
  CHECK(roofline(workload_of(biased), device).tensor_us ==
        roofline(workload_of(plain), device).tensor_us);
}

}  // namespace
}  // namespace tilewright
