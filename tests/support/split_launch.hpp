// Launches one config's kernel with a workspace that the test owns.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "gpu/compile/parallel_compiler.hpp"
#include "gpu/launch/check.hpp"
#include "support/gpu_bench.hpp"

namespace tilewright::testing {

/// Launches a config on a bench's operands; before the first launch the counters are zero and the
/// partial sums NaN.
class SplitLaunch {
 public:
  SplitLaunch(GpuBench& bench, const TileConfig& config)
      : bench_(bench), plan_(bench.plan_of(config)) {
    const std::vector<BuiltKernel> built =
        build_kernels(kernel_sources(plan_), architecture(h200()), test_cache());
    std::vector<std::string> cubins;
    for (const BuiltKernel& one : built) cubins.push_back(one.kernel.cubin);
    kernel_ = load_gemm_kernel(cubins, plan_, {});
    launch_ = kernel_->make_launch(plan_);
    const int64_t counters = launch_->workspace_bytes();
    workspace_ = DeviceBuffer(static_cast<size_t>(std::max<int64_t>(counters, 1)));
    TW_CHECK(cudaMemset(workspace_.get(), 0, workspace_.bytes()));
    const int64_t bytes = launch_->scratch_bytes();
    scratch_ = DeviceBuffer(static_cast<size_t>(std::max<int64_t>(bytes, 1)));
    TW_CHECK(cudaMemset(scratch_.get(), 0xFF, scratch_.bytes()));
  }

  /// Checks that the result is correct, that `times` further launches give the same bits, and that
  /// every counter is zero again.
  void check_repeats(int times) const {
    const Verification verification = run();
    REQUIRE_MESSAGE(verification.ok, verification.detail);
    const std::vector<uint8_t> first = output();
    for (int i = 0; i < times; ++i) {
      REQUIRE(run().ok);
      REQUIRE(output() == first);
    }
    CHECK(counters_are_zero());
  }

 private:
  // Poisons D, launches and compares with float64.
  Verification run() const {
    const Verifier& truth = bench_.verifier();
    truth.poison();
    launch_->launch(
        {.operands = bench_.operands(), .workspace = workspace_.get(), .scratch = scratch_.get()});
    TW_CHECK(cudaDeviceSynchronize());
    return truth.check({});
  }

  // D's bytes after the last run.
  std::vector<uint8_t> output() const {
    const Problem& p = bench_.problem();
    std::vector<uint8_t> bytes(
        static_cast<size_t>(p.shape.m * p.shape.n * bytes_of(output_type(p.kind))));
    copy_to_host(bytes.data(), bench_.operands().d, bytes.size());
    return bytes;
  }

  // True if every counter is zero again.
  bool counters_are_zero() const {
    std::vector<uint8_t> bytes(workspace_.bytes());
    copy_to_host(bytes.data(), workspace_.get(), bytes.size());
    return std::all_of(bytes.begin(), bytes.end(), [](uint8_t byte) { return byte == 0; });
  }

  GpuBench& bench_;
  Plan plan_;
  std::unique_ptr<GemmKernel> kernel_;
  std::unique_ptr<PlannedLaunch> launch_;
  DeviceBuffer workspace_;
  DeviceBuffer scratch_;
};

}  // namespace tilewright::testing
