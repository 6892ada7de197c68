// What the host enqueues while it holds the device waits, and nothing waits for ever.
#include "gpu/measure/launch_hold.hpp"

#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include "gpu/contenders/device_kernels.hpp"
#include "support/gpu_bench.hpp"

namespace tilewright {
namespace {

DeviceKernels device_kernels() {
  return {DataType::BF16, DataType::BF16, "sm_90a", testing::test_cache()};
}

TEST_CASE("a held device begins when the host releases it, each time") {
  const DeviceKernels kernels = device_kernels();
  kernels.delay(1);  // CUDA may load a kernel at its first launch, which takes long
  LaunchHold hold(kernels);
  for (int round = 0; round < 20; ++round) {
    hold.begin();
    kernels.delay(1);
    CHECK(cudaStreamQuery(nullptr) == cudaErrorNotReady);
    hold.release();
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
  }
}

TEST_CASE("a device that nobody releases goes on by itself") {
  const DeviceKernels kernels = device_kernels();
  LaunchHold hold(kernels);
  hold.begin();
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
}

}  // namespace
}  // namespace tilewright
