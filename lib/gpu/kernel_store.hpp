// The kernels of a run: built once, loaded when first launched.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/cubin_cache.hpp"
#include "gpu/gemm_kernel.hpp"
#include "gpu/parallel_compiler.hpp"

namespace tilewright {

/// What a kernel does beside D = alpha * A B.
struct KernelExtras {
  bool source = false;  // adds beta * C
  bool trace = false;   // records who computed which tile when
};

/// Kernels by their constants; configs that differ in raster or L2 promotion share one.
class KernelStore {
 public:
  KernelStore(std::string architecture, CubinCache cache);

  /// Compiles what is not built yet; one result a config, in order.
  std::vector<BuildResult> build(DataType dtype, std::span<const TileConfig> configs);
  /// The loaded kernel of a config, built first if need be. Throws an environment error with the
  /// compiler's reason when it was rejected.
  const GemmKernel& kernel(DataType dtype, const TileConfig& config, KernelExtras extras = {});

 private:
  struct Entry {
    BuiltKernel built;
    std::unique_ptr<GemmKernel> loaded;
  };

  std::vector<Entry*> build_entries(std::span<const tw::TileParams> params);

  std::string architecture_;
  CubinCache cache_;
  std::map<std::string, Entry> entries_;  // by the text of the constants
};

}  // namespace tilewright
