// Machine code on the device, ready to launch.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <utility>

namespace tilewright {

/// How to launch: CTAs in a row, clusters of neighbours.
struct LaunchShape {
  int ctas = 1;
  int threads = 1;
  int cluster_size = 1;
  int smem_bytes = 0;
  bool programmatic =
      false;  // starts before the kernel ahead in the stream ends, and waits for it itself
  bool cooperative = false;  // its CTAs wait for each other: all run at once or the launch fails
};

/// A kernel of a cubin; unloads it at the end.
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
  /// Clusters of the shape that the device holds at once; 0 where none fits.
  int resident_clusters(const LaunchShape& shape) const;
  /// Launches on `stream`; `arguments` are pointers to the kernel's parameters.
  void launch(const LaunchShape& shape, void** arguments, cudaStream_t stream) const;

 private:
  cudaLibrary_t library_ = nullptr;
  cudaKernel_t kernel_ = nullptr;
};

}  // namespace tilewright
