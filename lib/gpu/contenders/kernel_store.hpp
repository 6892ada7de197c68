// The kernels of a run: built once, loaded when first launched.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/compile/cubin_cache.hpp"
#include "gpu/compile/parallel_compiler.hpp"
#include "gpu/contenders/memory.hpp"
#include "gpu/launch/gemm_kernel.hpp"

namespace tilewright {

/// A plan with the resident CTAs that the driver reports for its kernel, and its launch by the
/// store's loaded kernel.
struct LoadedPlan {
  Plan plan;
  std::shared_ptr<const PlannedLaunch> launch;
};

/// Kernels, keyed by the text of their programs; configs that differ in raster or L2 promotion
/// share one.
class KernelStore {
 public:
  KernelStore(std::string architecture, CubinCache cache);

  /// Compiles what is not built yet; one result per plan, in order.
  std::vector<BuildResult> build(std::span<const Plan> plans);

  /// Builds and loads the plan's kernel if necessary. Throws an environment error with the
  /// compiler's reason when it was rejected.
  LoadedPlan load(const Plan& plan, KernelExtras extras = {});

  /// Launches with the store's own workspace.
  void launch(const LoadedPlan& loaded, GemmLaunch launch);
  /// Plans again for the alignment of these operands, and launches once; throws as load() does.
  void launch(const Plan& plan, const GemmLaunch& launch, KernelExtras extras = {});

  /// Fills a red zone after the launch's workspace and one after its scratch.
  void fill_red_zones(const LoadedPlan& loaded);
  /// Clears the red zones. Returns a sentence on a write into one; empty when there was none.
  std::string check_and_clear_red_zones(const LoadedPlan& loaded);

  /// The workspace and the scratch that launches share: as large as the largest launch so far
  /// needs.
  const DeviceBuffer& workspace() const { return workspace_; }
  const DeviceBuffer& scratch() const { return scratch_; }

 private:
  struct Entry {
    std::vector<BuiltKernel> built;  // one per source
    std::unique_ptr<GemmKernel> loaded;
  };

  Entry& find_or_build(const Plan& plan, KernelExtras extras);
  static void* at_least(DeviceBuffer& buffer, int64_t bytes);
  // A red zone: the name of the buffer that it follows, and its first byte.
  struct RedZone {
    const char* name;
    unsigned char* begin;
  };
  std::vector<RedZone> red_zones(const LoadedPlan& loaded);

  std::string architecture_;
  CubinCache cache_;
  std::map<std::string, Entry> entries_;
  DeviceBuffer workspace_;
  DeviceBuffer scratch_;
};

/// The KernelCompiler on NVRTC.
std::unique_ptr<KernelCompiler> make_parallel_compiler(const CubinCache& cache);

}  // namespace tilewright
