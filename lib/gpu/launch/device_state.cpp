#include "gpu/launch/device_state.hpp"

#include "base/text.hpp"
#include "gpu/launch/check.hpp"

namespace tilewright {

int current_device() {
  int device = 0;
  TW_CHECK(cudaGetDevice(&device));
  return device;
}

std::string compute_capability(int device) {
  int major = 0;
  int minor = 0;
  TW_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  TW_CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
  return format("{}.{}", major, minor);
}

DeviceTurn::DeviceTurn(int device) : before_(current_device()) {
  TW_CHECK(cudaSetDevice(device));
}

DeviceTurn::~DeviceTurn() {
  cudaSetDevice(before_);
}

LoadingTurn::LoadingTurn() {
  TW_CHECK(cudaThreadExchangeStreamCaptureMode(&before_));
}

LoadingTurn::~LoadingTurn() {
  cudaThreadExchangeStreamCaptureMode(&before_);
}

void zero(void* address, int64_t bytes, cudaStream_t stream) {
  TW_CHECK(cudaMemsetAsync(address, 0, static_cast<size_t>(bytes), stream));
}

}  // namespace tilewright
