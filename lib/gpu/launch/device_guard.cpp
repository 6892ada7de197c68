#include "gpu/launch/device_guard.hpp"

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

std::optional<DeviceFingerprint> current_device_fingerprint() {
  int device = 0;
  cudaDeviceProp properties{};
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaGetDeviceProperties(&properties, device) != cudaSuccess) {
    cudaGetLastError();  // clears the error
    return std::nullopt;
  }
  return DeviceFingerprint{.name = properties.name,
                           .compute = compute_capability(device),
                           .sm_count = properties.multiProcessorCount,
                           .l2_bytes = properties.l2CacheSize,
                           .memory_bytes = static_cast<int64_t>(properties.totalGlobalMem)};
}

bool runs_now(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(stream, &status) == cudaSuccess) {
    return status == cudaStreamCaptureStatusNone;
  }
  clear_launch_error();
  return false;
}

void clear_launch_error() {
  cudaGetLastError();
}

int driver_version() {
  int version = 0;
  return cudaDriverGetVersion(&version) == cudaSuccess ? version : 0;
}

DeviceGuard::DeviceGuard(int device) : before_(current_device()) {
  TW_CHECK(cudaSetDevice(device));
}

DeviceGuard::~DeviceGuard() {
  cudaSetDevice(before_);
}

bool is_captured(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  TW_CHECK(cudaStreamIsCapturing(stream, &status));
  return status != cudaStreamCaptureStatusNone;
}

CaptureModeGuard::CaptureModeGuard() {
  TW_CHECK(cudaThreadExchangeStreamCaptureMode(&before_));
}

CaptureModeGuard::~CaptureModeGuard() {
  cudaThreadExchangeStreamCaptureMode(&before_);
}

void zero(void* address, int64_t bytes, cudaStream_t stream) {
  TW_CHECK(cudaMemsetAsync(address, 0, static_cast<size_t>(bytes), stream));
}

}  // namespace tilewright
