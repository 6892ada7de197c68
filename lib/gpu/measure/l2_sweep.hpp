// Passes over memory that bring L2 to a known state before a launch and after it.
#pragma once

#include "gpu/compile/cubin_cache.hpp"
#include "gpu/contenders/memory.hpp"
#include "gpu/launch/loaded_kernel.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// Kernels of tools/sweep.cu that move a known number of bytes, on the default stream. `bytes` is a
/// multiple of 16.
class SweepKernels {
 public:
  SweepKernels(const std::string& architecture, const CubinCache& cache);
  void read(const void* from, size_t bytes) const;
  void fill(void* to, size_t bytes, unsigned seed) const;
  void copy(const void* from, void* to, size_t bytes) const;

 private:
  explicit SweepKernels(const std::string& cubin);

  LoadedKernel read_;
  LoadedKernel fill_;
  LoadedKernel copy_;
  DeviceBuffer sink_{256};
};

/// Reads its own buffers, each four times as large as L2. On an H200 three times L2 left nothing
/// dirty in it, twice L2 up to a megabyte.
class L2Sweep {
 public:
  L2Sweep(const DeviceSpec& device, const CubinCache& cache);
  /// Fills L2 with clean lines that no other kernel reads.
  void open() const { kernels_.read(before_.get(), before_.bytes()); }
  /// Evicts dirty lines to DRAM by reading lines that open() did not read.
  void close() const { kernels_.read(after_.get(), after_.bytes()); }

 private:
  SweepKernels kernels_;
  DeviceBuffer before_;
  DeviceBuffer after_;
};

}  // namespace tilewright
