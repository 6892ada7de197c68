// Kernels that a test compiles before it runs the first.
#pragma once

#include <vector>

#include "gpu/compile/parallel_compiler.hpp"
#include "gpu/contenders/device_kernels.hpp"
#include "support/devices.hpp"
#include "support/gpu_bench.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright::testing {

/// The programs of many plans and of their verification. build() compiles them all at once, on all
/// cores, into the tests' cache, from which benches then take them.
class KernelBuilds {
 public:
  void add(const Plan& plan, KernelExtras extras = {}) {
    const ProductKind& kind = plan.workload.kind;
    sources_.push_back(verification_source(kind.dtype, output_type(kind)));
    for (const KernelSource& source : kernel_sources(plan, extras)) sources_.push_back(source);
  }

  void build() const { build_kernels(sources_, architecture(h200()), test_cache()); }

 private:
  std::vector<KernelSource> sources_;
};

}  // namespace tilewright::testing
