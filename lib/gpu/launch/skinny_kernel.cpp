#include "gpu/launch/skinny_kernel.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "gpu/compile/check.hpp"
#include "gpu/compile/kernel_text.hpp"
#include "gpu/launch/loaded_kernel.hpp"
#include "skinny/params.cuh"
#include "tile/plan/partial_store.hpp"

namespace tilewright {
namespace {

KernelSource gemm_source(const tw::SkinnyParams& p) {
  return {.file = "skinny/gemm_skinny.cu",
          .config_header = definition_text("skinny/params.cuh", "tw::SkinnyParams", "kParams", p)};
}

class SkinnyKernel : public GemmKernel {
 public:
  SkinnyKernel(const std::string& cubin, const tw::SkinnyParams& params)
      : params_(params), kernel_(cubin, "gemm_skinny") {}

  int64_t workspace_bytes(const Plan& plan) const override {
    return partial_store(plan).turn_bytes();
  }

  int64_t scratch_bytes(const Plan& plan) const override { return partial_store(plan).bytes; }

  int64_t trace_record_count(const Plan&) const override { return 0; }

  void launch(const Plan& plan, const GemmLaunch& launch) const override {
    const GemmShape& s = plan.problems.front().shape;
    tw::SkinnyArgs args{.m = static_cast<int>(s.m),
                        .n = static_cast<int>(s.n),
                        .k = static_cast<int>(s.k),
                        .slices = plan.slices(),
                        .a = static_cast<const unsigned short*>(launch.operands.a),
                        .b = static_cast<const unsigned short*>(launch.operands.b),
                        .epilogue = epilogue_args(plan.workload.kind.epilogue, launch.operands),
                        .d = launch.operands.d,
                        .counters = params_.split ? static_cast<int*>(launch.workspace) : nullptr,
                        .partials = params_.split ? static_cast<float*>(launch.scratch) : nullptr};
    void* arguments[] = {&args};
    kernel_.launch({.ctas = static_cast<int>(plan.units),
                    .threads = params_.threads(),
                    .cluster_size = 1,
                    .smem_bytes = 0},
                   arguments, launch.stream);
  }

 private:
  tw::SkinnyParams params_;
  LoadedKernel kernel_;
};

// Loads are 16 bytes wide, and nothing is recorded.
void require_runnable(const TileConfig& config, const KernelExtras& extras) {
  constexpr int kWidth = 16;
  if (extras.trace) {
    throw usage_error(format("{}: the skinny family records no trace", to_string(config)));
  }
  if (extras.alignment.a < kWidth || extras.alignment.b < kWidth) {
    throw usage_error(
        format("{}: the skinny family needs operands at addresses of a multiple of "
               "16; the sm80 family takes any",
               to_string(config)));
  }
}

}  // namespace

std::vector<KernelSource> skinny_sources(const Plan& plan, KernelExtras extras) {
  require_runnable(plan.config, extras);
  return {gemm_source(std::get<tw::SkinnyParams>(plan.kernel))};
}

std::unique_ptr<GemmKernel> load_skinny_kernel(std::span<const std::string> cubins,
                                               const Plan& plan, KernelExtras) {
  return std::make_unique<SkinnyKernel>(cubins.front(), std::get<tw::SkinnyParams>(plan.kernel));
}

}  // namespace tilewright
