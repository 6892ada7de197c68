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

/// A plan with as many CTAs at once as the driver says of its kernel, and its launches by the
/// store's loaded kernel.
struct ReadyPlan {
  Plan plan;
  std::shared_ptr<const PlannedLaunch> launch;
};

/// Kernels by the text of their programs; configs that differ in raster or L2 promotion share one.
class KernelStore {
 public:
  KernelStore(std::string architecture, CubinCache cache);

  /// Compiles what is not built yet; one result a plan, in order.
  std::vector<BuildResult> build(std::span<const Plan> plans);

  /// The plan's kernel is built and loaded first if need be. Throws an environment error with the
  /// compiler's reason when it was rejected.
  ReadyPlan ready(const Plan& plan, KernelExtras extras = {});

  /// Launches with the store's own workspace.
  void launch(const ReadyPlan& ready, GemmLaunch launch);
  /// The same of a plan that launches once, on operands at any addresses; throws as ready() does.
  void launch(const Plan& plan, const GemmLaunch& launch, KernelExtras extras = {});

  /// Lays red zones behind what a launch gets as workspace and scratch.
  void lay_red_zones(const ReadyPlan& ready);
  /// Takes them up again; says which was written, empty when neither was.
  std::string take_red_zones(const ReadyPlan& ready);

  /// What launches get as workspace, and as scratch: as large as the largest so far.
  const DeviceBuffer& workspace() const { return workspace_; }
  const DeviceBuffer& scratch() const { return scratch_; }

 private:
  struct Entry {
    std::vector<BuiltKernel> built;  // one a source
    std::unique_ptr<GemmKernel> loaded;
  };

  Entry& find_or_build(const Plan& plan, KernelExtras extras);
  static void* at_least(DeviceBuffer& buffer, int64_t bytes);
  // The zones of a plan: what they lie behind, and where they begin.
  struct RedZone {
    const char* name;
    unsigned char* begin;
  };
  std::vector<RedZone> red_zones(const ReadyPlan& ready);

  std::string architecture_;
  CubinCache cache_;
  std::map<std::string, Entry> entries_;
  DeviceBuffer workspace_;
  DeviceBuffer scratch_;
};

/// The KernelCompiler on NVRTC.
std::unique_ptr<KernelCompiler> make_parallel_compiler(const CubinCache& cache);

}  // namespace tilewright
