#include <doctest/doctest.h>

#include "support/devices.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {
namespace {

TEST_CASE("a fingerprint has what identifies a device, and no rate") {
  DeviceSpec device = testing::h200();
  const DeviceFingerprint before = fingerprint(device, true);
  CHECK(before.compute == "9.0");
  CHECK(before.preset);
  device.sustained_clock_hz *= 2;
  device.dram_bytes_per_s *= 2;
  CHECK(fingerprint(device, true) == before);
  CHECK(to_string(before) == "h200 (preset, 9.0, 132 SMs, 62914560 B of L2)");
}

TEST_CASE("the architecture is compute capability, multiprocessors and L2") {
  const DeviceFingerprint a = fingerprint(testing::h200(), true);
  DeviceFingerprint b = a;
  b.name = "NVIDIA H200";
  b.preset = false;
  b.memory_bytes -= 1;
  CHECK(same_architecture(a, b));
  b.sm_count -= 1;
  CHECK_FALSE(same_architecture(a, b));
  b = a;
  b.l2_bytes -= 1;
  CHECK_FALSE(same_architecture(a, b));
  b = a;
  b.compute = "9.1";
  CHECK_FALSE(same_architecture(a, b));
}

}  // namespace
}  // namespace tilewright
