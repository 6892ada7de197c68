#include "gpu/launch/skinny_kernel.hpp"

#include "gpu/launch/check.hpp"
#include "gpu/launch/loaded_kernel.hpp"
#include "skinny/params.cuh"
#include "tile/plan/partial_store.hpp"

namespace tilewright {
namespace {

constexpr const char* kSkinnyProduct = "gemm_skinny";

LaunchShape product_shape(const Plan& plan, const tw::SkinnyParams& params) {
  return {.ctas = static_cast<int>(plan.units), .threads = params.threads()};
}

class SkinnyKernel;

class SkinnyLaunch : public PlannedLaunch {
 public:
  SkinnyLaunch(const SkinnyKernel& kernel, const Plan& plan) : kernel_(kernel), plan_(plan) {}

  int64_t workspace_bytes() const override { return launch_memory(plan_).zeroed; }
  int64_t scratch_bytes() const override { return launch_memory(plan_).scratch; }
  int64_t trace_record_count() const override { return 0; }
  void launch(const GemmLaunch& launch) const override;

 private:
  const SkinnyKernel& kernel_;
  Plan plan_;
};

class SkinnyKernel : public GemmKernel {
 public:
  SkinnyKernel(const std::string& cubin, const tw::SkinnyParams& params)
      : params_(params), kernel_(cubin, kSkinnyProduct) {}

  std::unique_ptr<PlannedLaunch> make_launch(const Plan& plan) const override {
    return std::make_unique<SkinnyLaunch>(*this, plan);
  }

  bool is_divided() const { return params_.split; }
  void multiply(const Plan& plan, tw::SkinnyArgs args, const GemmLaunch& launch) const {
    void* arguments[] = {&args};
    kernel_.launch(waiting_shape(product_shape(plan, params_), launch), arguments, launch.stream);
  }

 private:
  tw::SkinnyParams params_;
  LoadedKernel kernel_;
};

void SkinnyLaunch::launch(const GemmLaunch& launch) const {
  const GemmShape& s = plan_.problems.front().shape;
  const Pitches pitch = pitches_of(plan_.product, plan_.options.places);
  const bool divided = kernel_.is_divided();
  kernel_.multiply(plan_,
                   {.m = static_cast<int>(s.m),
                    .n = static_cast<int>(s.n),
                    .k = static_cast<int>(s.k),
                    .slices = plan_.slices(),
                    .a = static_cast<const unsigned short*>(launch.operands.a),
                    .b = static_cast<const unsigned short*>(launch.operands.b),
                    .lda = pitch.a,
                    .ldb = pitch.b,
                    .ldd = pitch.d,
                    .epilogue = epilogue_args(plan_, launch.operands, launch.scalars),
                    .d = launch.operands.d,
                    .counters = divided ? static_cast<int*>(launch.workspace) : nullptr,
                    .partials = divided ? static_cast<float*>(launch.scratch) : nullptr},
                   launch);
}

}  // namespace

std::vector<LaunchStep> skinny_steps(const Plan& plan) {
  return {{kSkinnyProduct, product_shape(plan, std::get<tw::SkinnyParams>(plan.kernel))}};
}

std::unique_ptr<GemmKernel> load_skinny_kernel(std::span<const std::string> cubins,
                                               const Plan& plan, KernelExtras) {
  return std::make_unique<SkinnyKernel>(cubins.front(), std::get<tw::SkinnyParams>(plan.kernel));
}

}  // namespace tilewright
