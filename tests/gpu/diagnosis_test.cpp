// What is said of a host, with and without a driver.
#include "gpu/diagnosis.hpp"

#include <doctest/doctest.h>

namespace tilewright {
namespace {

TEST_CASE("a host without a driver is told so; one with a driver hears the runtime's words") {
  const std::string words = "CUDA driver version is insufficient for CUDA runtime version";
  CHECK(no_device_reason(0, words) == "no NVIDIA driver");
  CHECK(no_device_reason(12040, words) == words);
}

}  // namespace
}  // namespace tilewright
