// Passes over memory that bring L2 to a known state: what a launch finds, and what it leaves.
#pragma once

#include "gpu/compile/cubin_cache.hpp"
#include "gpu/contenders/memory.hpp"
#include "gpu/launch/loaded_kernel.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// Kernels whose bytes are known, of tools/sweep.cu; on the default stream. `bytes` in whole
/// vectors of 16.
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

/// Reads buffers of its own, each four times as large as L2: three quarters of that left nothing
/// dirty in it on an H200, half of it up to a megabyte.
class L2Sweep {
 public:
  L2Sweep(const DeviceSpec& device, const CubinCache& cache);
  /// Leaves L2 full of clean lines that nobody else reads.
  void open() const { kernels_.read(before_.get(), before_.bytes()); }
  /// Drives what was written out to DRAM; reads lines that open() did not.
  void close() const { kernels_.read(after_.get(), after_.bytes()); }

 private:
  SweepKernels kernels_;
  DeviceBuffer before_;
  DeviceBuffer after_;
};

}  // namespace tilewright
