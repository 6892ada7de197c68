// One config's kernel on the device, whatever its family, and its launches on given operands.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gemm_args.cuh"
#include "gpu/nvrtc.hpp"
#include "gpu/operand_set.hpp"
#include "tile/mma_params.hpp"
#include "tile/problem.hpp"
#include "tile/tile_config.hpp"

namespace tilewright {

/// What a kernel does beside D = alpha * A B.
struct KernelExtras {
  bool scaled = false;              // knows alpha and beta
  bool trace = false;               // records who computed which tile when
  bool delays = false;              // for tests: sleeps at random where CTAs wait for each other
  OperandAlignment alignment = {};  // of the operands' addresses
  bool operator==(const KernelExtras&) const = default;
};

/// Where one launch reads and writes.
struct GemmLaunch {
  OperandSet operands = {};
  Scaling scaling = {};
  tw::TraceRecord* trace = nullptr;  // trace_record_count() of them, of kernels that record
  void* workspace = nullptr;         // workspace_bytes() of it, zeroed before the first launch
  void* scratch = nullptr;           // scratch_bytes() of it, holding anything
  cudaStream_t stream = nullptr;
};

/// The loaded kernels of one config and kind of problem; rasters and L2 promotion are arguments of
/// its launches.
class GemmKernel {
 public:
  virtual ~GemmKernel() = default;
  /// Bytes that a launch needs beside its operands; a launch leaves zeros where it found zeros.
  virtual int64_t workspace_bytes(const Problem& problem, const TileConfig& config) const = 0;
  /// Bytes of room whose contents nobody keeps.
  virtual int64_t scratch_bytes(const Problem& problem, const TileConfig& config) const = 0;
  /// Records of one traced launch; unused ones keep the cta that they begin with.
  virtual int64_t trace_record_count(const Problem& problem, const TileConfig& config) const;
  virtual void launch(const Problem& problem, const TileConfig& config,
                      const GemmLaunch& launch) const = 0;
};

/// The programs that the config needs for this kind of problem: the product's first, then those
/// that run before or after it.
std::vector<KernelSource> kernel_sources(const Problem& problem, const TileConfig& config,
                                         KernelExtras extras = {});

/// Dynamic shared memory of the product's launch, bytes.
int launch_smem_bytes(const Problem& problem, const TileConfig& config);

/// Loads the machine code of kernel_sources(), in its order.
std::unique_ptr<GemmKernel> load_gemm_kernel(std::span<const std::string> cubins,
                                             const Problem& problem, const TileConfig& config,
                                             KernelExtras extras);

}  // namespace tilewright
