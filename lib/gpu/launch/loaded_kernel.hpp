// Machine code on the device, ready to launch.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <utility>

#include "gpu/launch/launch_setup.hpp"
#include "gpu/launch/launch_shape.hpp"

namespace tilewright {

/// A kernel of a cubin; the destructor unloads it.
class LoadedKernel {
 public:
  LoadedKernel(const std::string& cubin, const char* name);
  LoadedKernel(LoadedKernel&& other) noexcept
      : library_(std::exchange(other.library_, nullptr)),
        kernel_(std::exchange(other.kernel_, nullptr)) {}
  LoadedKernel& operator=(LoadedKernel&&) = delete;
  ~LoadedKernel();

  /// Raises the kernel's dynamic shared-memory limit; needed once before launches beyond 48 KiB.
  void allow_smem(int bytes) const;
  /// Clusters of the shape that the device holds at once; 0 if none fits.
  int resident_clusters(const LaunchShape& shape) const;
  /// Launches on `stream`; `arguments` are pointers to the kernel's parameters.
  void launch(const LaunchShape& shape, void** arguments, cudaStream_t stream) const;
  void launch(const LaunchSetup& setup, void** arguments) const;

 private:
  cudaLibrary_t library_ = nullptr;
  cudaKernel_t kernel_ = nullptr;
};

}  // namespace tilewright
