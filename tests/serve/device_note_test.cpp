#include "serve/device_note.hpp"

#include <doctest/doctest.h>

#include "support/devices.hpp"

namespace tilewright {
namespace {

DeviceFingerprint here(const std::string& name, const std::string& compute, int sm_count) {
  DeviceFingerprint device = fingerprint(testing::h200(), false);
  device.name = name;
  device.compute = compute;
  device.sm_count = sm_count;
  return device;
}

TEST_CASE("a note names the device where kernels were tuned on another one") {
  DeviceSpec tuned = testing::h200();
  tuned.marketing_name = "NVIDIA H200";
  const std::string compute = fingerprint(tuned, true).compute;
  CHECK(device_note(here("NVIDIA H200", compute, tuned.sm_count), tuned).empty());
  for (const int sm_count : {16, 78, 114}) {
    CHECK(device_note(here("NVIDIA H100 PCIe", compute, sm_count), tuned) ==
          "; tuned on NVIDIA H200, runs on NVIDIA H100 PCIe");
  }
  DeviceFingerprint less_cache = here("NVIDIA H100 80GB HBM3", compute, tuned.sm_count);
  less_cache.l2_bytes = int64_t{50} << 20;
  CHECK(device_note(less_cache, tuned) == "; tuned on NVIDIA H200, runs on NVIDIA H100 80GB HBM3");
  CHECK(device_note(here("NVIDIA L40", "8.9", 142), tuned) ==
        "; no kernel here supports NVIDIA L40, of compute capability 8.9");
  CHECK(!runs_on(here("NVIDIA B200", "10.0", 148), tuned));
}

}  // namespace
}  // namespace tilewright
