// The device and the capture that launches of this thread are for.
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

/// The current device; nothing where there is none, or no driver.
std::optional<DeviceFingerprint> device_at_hand();

/// While one lives, a device is this thread's current one.
class DeviceTurn {
 public:
  explicit DeviceTurn(int device);
  ~DeviceTurn();
  DeviceTurn(const DeviceTurn&) = delete;
  DeviceTurn& operator=(const DeviceTurn&) = delete;

 private:
  int before_ = 0;
};

/// While one lives, this thread may load kernels although a stream is captured: loading is no part
/// of a graph.
class LoadingTurn {
 public:
  LoadingTurn();
  ~LoadingTurn();
  LoadingTurn(const LoadingTurn&) = delete;
  LoadingTurn& operator=(const LoadingTurn&) = delete;

 private:
  cudaStreamCaptureMode before_ = cudaStreamCaptureModeRelaxed;
};

/// In the stream.
void zero(void* address, int64_t bytes, cudaStream_t stream);

}  // namespace tilewright
