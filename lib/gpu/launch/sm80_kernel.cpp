#include "gpu/launch/sm80_kernel.hpp"

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "base/math.hpp"
#include "base/text.hpp"
#include "gpu/launch/check.hpp"
#include "gpu/launch/loaded_kernel.hpp"
#include "sm80/args.cuh"
#include "tile/family/sm80.hpp"
#include "tile/plan/partial_store.hpp"

namespace tilewright {
namespace {

constexpr const char* kSm80Product = "gemm_sm80";
constexpr const char* kSm80Sum = "sum_slices";

LaunchShape product_shape(const Plan& plan, const tw::Sm80Params& params) {
  return {.ctas = static_cast<int>(plan.units),
          .threads = params.threads(),
          .smem_bytes = params.smem_bytes()};
}

LaunchShape slice_sum_shape(const Plan& plan) {
  constexpr int kThreads = 256;
  const GemmShape& s = plan.problems.front().shape;
  const int64_t vectors = ceil_div<int64_t>(s.m * s.n, tw::kPartialVector);
  return {.ctas = static_cast<int>(ceil_div<int64_t>(vectors, kThreads)), .threads = kThreads};
}

class Sm80Kernel;

class Sm80Launch : public PlannedLaunch {
 public:
  Sm80Launch(const Sm80Kernel& kernel, const Plan& plan) : kernel_(kernel), plan_(plan) {}

  int64_t workspace_bytes() const override { return launch_memory(plan_).zeroed; }
  int64_t scratch_bytes() const override { return launch_memory(plan_).scratch; }
  // One per CTA, and the second kernel's.
  int64_t trace_record_count() const override { return plan_.units + 1; }
  void launch(const GemmLaunch& launch) const override;

 private:
  const Sm80Kernel& kernel_;
  Plan plan_;
};

class Sm80Kernel : public GemmKernel {
 public:
  Sm80Kernel(std::span<const std::string> cubins, const tw::Sm80Params& params)
      : params_(params), product_(cubins.front(), kSm80Product) {
    product_.allow_smem(params_.smem_bytes());
    if (sums_slices(params_)) reduction_.emplace(cubins.back(), kSm80Sum);
  }

  std::unique_ptr<PlannedLaunch> make_launch(const Plan& plan) const override {
    return std::make_unique<Sm80Launch>(*this, plan);
  }

  bool is_divided() const { return params_.split != tw::SplitKMode::None; }
  void multiply(const Plan& plan, tw::Sm80Args args, const GemmLaunch& launch) const;
  // Launches the second kernel, if the plan has one.
  void reduce(const Plan& plan, const tw::Sm80Args& args, cudaStream_t stream) const;

 private:
  tw::Sm80Params params_;
  LoadedKernel product_;
  std::optional<LoadedKernel> reduction_;
};

void Sm80Launch::launch(const GemmLaunch& launch) const {
  const PlannedProblem& planned = plan_.problems.front();
  const GemmShape& s = planned.shape;
  const Pitches pitch = pitches_of(plan_.product, plan_.options.places);
  const bool divided = kernel_.is_divided();
  const tw::Sm80Args args{.m = static_cast<int>(s.m),
                          .n = static_cast<int>(s.n),
                          .k = static_cast<int>(s.k),
                          .epilogue = epilogue_args(plan_, launch.operands, launch.scalars),
                          .a = static_cast<const unsigned short*>(launch.operands.a),
                          .b = static_cast<const unsigned short*>(launch.operands.b),
                          .lda = pitch.a,
                          .ldb = pitch.b,
                          .ldd = pitch.d,
                          .d = launch.operands.d,
                          .raster = planned.map.raster,
                          .tiles = planned.map.clusters,
                          .slices = plan_.slices(),
                          .counters = divided ? static_cast<int*>(launch.workspace) : nullptr,
                          .partials = divided ? static_cast<float*>(launch.scratch) : nullptr,
                          .slice_stride = slice_stride(plan_),
                          .trace = launch.trace};
  kernel_.multiply(plan_, args, launch);
  kernel_.reduce(plan_, args, launch.stream);
}

void Sm80Kernel::multiply(const Plan& plan, tw::Sm80Args args, const GemmLaunch& launch) const {
  void* arguments[] = {&args};
  product_.launch(waiting_shape(product_shape(plan, params_), launch), arguments, launch.stream);
}

void Sm80Kernel::reduce(const Plan& plan, const tw::Sm80Args& args, cudaStream_t stream) const {
  if (!reduction_) return;
  tw::SliceSumArgs reduce{.elements = int64_t{args.m} * args.n,
                          .n = args.n,
                          .slices = args.slices,
                          .partials = args.partials,
                          .slice_stride = args.slice_stride,
                          .epilogue = args.epilogue,
                          .d = args.d,
                          .ldd = args.ldd,
                          .trace = args.trace == nullptr ? nullptr : args.trace + plan.units};
  void* arguments[] = {&reduce};
  reduction_->launch(slice_sum_shape(plan), arguments, stream);
}

}  // namespace

std::vector<LaunchStep> sm80_steps(const Plan& plan) {
  const tw::Sm80Params params = sm80_params(plan, {});
  std::vector<LaunchStep> steps = {{kSm80Product, product_shape(plan, params)}};
  if (sums_slices(params)) steps.push_back({kSm80Sum, slice_sum_shape(plan)});
  return steps;
}

std::unique_ptr<GemmKernel> load_sm80_kernel(std::span<const std::string> cubins, const Plan& plan,
                                             KernelExtras extras) {
  return std::make_unique<Sm80Kernel>(cubins, sm80_params(plan, extras));
}

}  // namespace tilewright
