#include "gpu/measure/launch_hold.hpp"

#include <cuda_runtime.h>

#include <atomic>
#include <cstdint>

#include "gpu/launch/check.hpp"

namespace tilewright {

LaunchHold::LaunchHold(const DeviceKernels& kernels) : kernels_(kernels) {
  void* memory = nullptr;
  TW_CHECK(cudaHostAlloc(&memory, sizeof(unsigned), cudaHostAllocMapped));
  released_ = static_cast<unsigned*>(memory);
}

LaunchHold::~LaunchHold() {
  cudaFreeHost(released_);
}

void LaunchHold::begin() {
  constexpr uint64_t kMaxNs = 10'000'000;
  std::atomic_ref(*released_).store(0);
  // With unified addresses the device reads host memory at the host's address.
  kernels_.hold(released_, kMaxNs);
}

void LaunchHold::release() {
  std::atomic_ref(*released_).store(1);
}

}  // namespace tilewright
