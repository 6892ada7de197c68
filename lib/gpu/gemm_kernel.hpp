// One config's kernel on the device, and its launches on given operands.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "gemm_args.cuh"
#include "gpu/loaded_kernel.hpp"
#include "tile/problem.hpp"
#include "tile/tile_config.hpp"
#include "tile_params.cuh"

namespace tilewright {

/// Device addresses of one set of operands; rows are tight (k, k, n and n elements).
struct OperandSet {
  const void* a = nullptr;
  const void* b = nullptr;
  const void* c = nullptr;  // read when beta is not 0
  void* d = nullptr;
};

/// D = alpha * A B + beta * C.
struct Scaling {
  float alpha = 1;
  float beta = 0;
};

/// The loaded kernel of (cta, cluster, stages, dtype, trace); rasters and L2 promotion are
/// arguments of its launches.
class GemmKernel {
 public:
  GemmKernel(const std::string& cubin, const tw::TileParams& params);

  /// Launches `config` (whose constants are this kernel's) on one set of operands. `trace`: room
  /// for trace_record_count records, for kernels that record.
  void launch(const Problem& problem, const TileConfig& config, const OperandSet& operands,
              Scaling scaling, tw::TraceRecord* trace, cudaStream_t stream) const;

 private:
  tw::TileParams params_;
  LoadedKernel kernel_;
  int resident_clusters_ = 0;
};

/// Records of one traced launch: one for each CTA of each slot.
int64_t trace_record_count(const Problem& problem, const TileConfig& config);

}  // namespace tilewright
