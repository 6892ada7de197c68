// A GPU for tests: kernels, operands and the float64 reference of one problem.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/compile/cubin_cache.hpp"
#include "gpu/contenders/device_kernels.hpp"
#include "gpu/contenders/kernel_store.hpp"
#include "gpu/contenders/operands.hpp"
#include "gpu/launch/check.hpp"
#include "gpu/measure/verifier.hpp"
#include "support/devices.hpp"
#include "support/scaling.hpp"
#include "tile/plan/legality.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright::testing {

/// The cubin cache of the tests, which is the user's.
inline CubinCache test_cache() {
  return CubinCache(open_cache_folder());
}

/// One problem on device 0: launches of any config, checked against float64.
class GpuBench {
 public:
  explicit GpuBench(const Problem& problem)
      : problem_(problem),
        device_kernels_(problem.kind.dtype, output_type(problem.kind), architecture(h200()),
                        test_cache()),
        kernels_(architecture(h200()), test_cache()),
        operands_(problem, 0, kSeed, device_kernels_),
        set_(operands_.set(0)) {
    // A D of 8-bit elements has no room for a C.
    if (bytes_of(output_type(problem.kind)) < bytes_of(addend_type(problem.kind))) return;
    void* const c = operands_.set(1).d;  // never written here
    const int64_t columns = output_columns(problem.kind, problem.shape.n);
    device_kernels_.fill_addend(c, problem.shape.m * columns, kSeed + 1);
    set_.c = c;
  }

  const Problem& problem() const { return problem_; }
  const OperandSet& operands() const { return set_; }
  const DeviceKernels& device_kernels() const { return device_kernels_; }
  KernelStore& kernels() { return kernels_; }

  Plan plan_of(const TileConfig& config) const { return make_plan(problem_, config, h200()); }

  /// Poisons D, launches once and compares with float64.
  Verification run(const TileConfig& config) {
    const Epilogue& own = problem_.kind.epilogue;
    return run(config, {own.alpha, own.beta});
  }
  /// The same with these factors instead of the problem's.
  Verification run(const TileConfig& config, Scaling scaling) {
    const Verifier& truth = verifier();
    truth.poison();
    const Problem problem = scaled(problem_, scaling);
    const Plan plan = make_plan(problem, config, h200());
    kernels_.launch(plan, {.operands = set_}, {});
    TW_CHECK(cudaDeviceSynchronize());
    return truth.check(problem.kind.epilogue, output_roundings(plan));
  }

  /// Overwrites element (line, k) of A or B; lines are along k. Call it before verifier().
  void poke(const void* operand, int64_t line, int64_t k, uint16_t bits) {
    auto* const elements = static_cast<uint16_t*>(const_cast<void*>(operand));
    copy_to_device(elements + line * problem_.shape.k + k, &bits, sizeof(bits));
  }

  /// The reference of the current operands; computed at the first call.
  const Verifier& verifier() {
    if (!verifier_) {
      verifier_ = std::make_unique<Verifier>(problem_, set_, kSeed, device_kernels_);
    }
    return *verifier_;
  }

 private:
  static constexpr uint64_t kSeed = 7;

  Problem problem_;
  DeviceKernels device_kernels_;
  KernelStore kernels_;
  Operands operands_;
  OperandSet set_;
  std::unique_ptr<Verifier> verifier_;
};

/// The compiler's report for each config's kernel.
inline std::vector<BuildResult> build_all(GpuBench& bench, std::span<const TileConfig> configs) {
  std::vector<Plan> plans;
  for (const TileConfig& config : configs) plans.push_back(bench.plan_of(config));
  return bench.kernels().build(plans);
}

}  // namespace tilewright::testing
