// The kernels of a run: built once, loaded when first launched.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/compile/cubin_cache.hpp"
#include "gpu/compile/parallel_compiler.hpp"
#include "gpu/launch/gemm_kernel.hpp"
#include "gpu/launch/memory.hpp"

namespace tilewright {

/// Kernels by the text of their programs; configs that differ in raster or L2 promotion share one.
class KernelStore {
 public:
  KernelStore(std::string architecture, CubinCache cache);

  /// Compiles what is not built yet; one result a plan, in order.
  std::vector<BuildResult> build(std::span<const Plan> plans);

  /// Launches a plan, as plan_here() has it, with the store's own workspace; its kernel is built
  /// first if need be. Throws an environment error with the compiler's reason when it was rejected.
  void launch(const Plan& plan, GemmLaunch launch, KernelExtras extras = {});

  /// The plan's kernel, built and loaded first if need be; throws as launch() does.
  const GemmKernel& kernel(const Plan& plan, KernelExtras extras = {});

  /// The plan with as many CTAs at once as the driver says of its kernel.
  Plan plan_here(const Plan& plan, KernelExtras extras = {});

  /// Lays red zones behind what a launch of the plan gets as workspace and scratch.
  void lay_red_zones(const Plan& plan);
  /// Takes them up again; says which was written, empty when neither was.
  std::string take_red_zones(const Plan& plan);

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
  std::vector<RedZone> red_zones(const Plan& plan);

  std::string architecture_;
  CubinCache cache_;
  std::map<std::string, Entry> entries_;
  DeviceBuffer workspace_;
  DeviceBuffer scratch_;
};

/// The KernelCompiler on NVRTC.
std::unique_ptr<KernelCompiler> make_parallel_compiler(const CubinCache& cache);

}  // namespace tilewright
