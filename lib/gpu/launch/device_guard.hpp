// The calling thread's current device and capture mode, as launches need them.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <optional>
#include <string>

#include "tile/workload/device_spec.hpp"

namespace tilewright {

int current_device();

/// "9.0".
std::string compute_capability(int device);

/// The current device's properties; empty without a device or a driver.
std::optional<DeviceFingerprint> current_device_fingerprint();

/// True while the stream's work is captured into a graph.
bool is_captured(cudaStream_t stream);

/// True if the stream's work runs when it is enqueued. False while it is captured, and where that
/// is not known: the legacy stream during the capture of another.
bool runs_now(cudaStream_t stream);

/// Forgets the error of a launch that was refused, which the runtime keeps for cudaGetLastError().
void clear_launch_error();

/// The CUDA version that the driver supports, 13000 for 13.0; 0 without a driver.
int driver_version();

/// Makes `device` this thread's current one until destruction.
class DeviceGuard {
 public:
  explicit DeviceGuard(int device);
  ~DeviceGuard();
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

 private:
  int before_ = 0;
};

/// Lets this thread load kernels while a stream is captured, until destruction: loading is no part
/// of a graph.
class CaptureModeGuard {
 public:
  CaptureModeGuard();
  ~CaptureModeGuard();
  CaptureModeGuard(const CaptureModeGuard&) = delete;
  CaptureModeGuard& operator=(const CaptureModeGuard&) = delete;

 private:
  cudaStreamCaptureMode before_ = cudaStreamCaptureModeRelaxed;
};

/// Zeroes `bytes` bytes, in stream order.
void zero(void* address, int64_t bytes, cudaStream_t stream);

}  // namespace tilewright
