// The kernels of a run: built once, loaded when first launched.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/cubin_cache.hpp"
#include "gpu/gemm_kernel.hpp"
#include "gpu/memory.hpp"
#include "gpu/parallel_compiler.hpp"

namespace tilewright {

/// Kernels by the text of their programs; configs that differ in raster or L2 promotion share one.
class KernelStore {
 public:
  KernelStore(std::string architecture, CubinCache cache);

  /// Compiles what is not built yet; one result a config, in order.
  std::vector<BuildResult> build(const Problem& problem, std::span<const TileConfig> configs);

  /// Launches a config, built first if need be, with the store's own workspace. Throws an
  /// environment error with the compiler's reason when it was rejected.
  void launch(const Problem& problem, const TileConfig& config, GemmLaunch launch,
              KernelExtras extras = {});

  /// The config's kernel, built and loaded first if need be; throws as launch() does.
  const GemmKernel& kernel(const Problem& problem, const TileConfig& config,
                           KernelExtras extras = {});

  /// What launches get as workspace, and as scratch: as large as the largest so far.
  const DeviceBuffer& workspace() const { return workspace_; }
  const DeviceBuffer& scratch() const { return scratch_; }

 private:
  struct Entry {
    std::vector<BuiltKernel> built;  // one a source
    std::unique_ptr<GemmKernel> loaded;
  };

  Entry& find_or_build(const Problem& problem, const TileConfig& config, KernelExtras extras);
  static void* at_least(DeviceBuffer& buffer, int64_t bytes);

  std::string architecture_;
  CubinCache cache_;
  std::map<std::string, Entry> entries_;
  DeviceBuffer workspace_;
  DeviceBuffer scratch_;
};

}  // namespace tilewright
