#include "gpu/launch/skinny_kernel.hpp"

#include "gpu/launch/check.hpp"
#include "gpu/launch/loaded_kernel.hpp"
#include "skinny/params.cuh"
#include "tile/plan/partial_store.hpp"

namespace tilewright {
namespace {

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
    const Pitches pitch = pitches_of(plan.product, plan.options.places);
    tw::SkinnyArgs args{.m = static_cast<int>(s.m),
                        .n = static_cast<int>(s.n),
                        .k = static_cast<int>(s.k),
                        .slices = plan.slices(),
                        .a = static_cast<const unsigned short*>(launch.operands.a),
                        .b = static_cast<const unsigned short*>(launch.operands.b),
                        .lda = pitch.a,
                        .ldb = pitch.b,
                        .ldd = pitch.d,
                        .epilogue = epilogue_args(plan, launch.operands),
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

}  // namespace

std::unique_ptr<GemmKernel> load_skinny_kernel(std::span<const std::string> cubins,
                                               const Plan& plan, KernelExtras) {
  return std::make_unique<SkinnyKernel>(cubins.front(), std::get<tw::SkinnyParams>(plan.kernel));
}

}  // namespace tilewright
