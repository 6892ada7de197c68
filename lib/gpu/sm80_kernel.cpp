#include "gpu/sm80_kernel.hpp"

#include <optional>

#include "base/error.hpp"
#include "base/math.hpp"
#include "base/text.hpp"
#include "gpu/check.hpp"
#include "gpu/kernel_text.hpp"
#include "gpu/loaded_kernel.hpp"
#include "sm80_args.cuh"
#include "sum_slices_args.cuh"

namespace tilewright {
namespace {

tw::Sm80Params sm80_params_of(const Problem& problem, const TileConfig& config,
                              KernelExtras extras) {
  tw::Sm80Params params = sm80_params(config, problem, extras.alignment);
  params.source = extras.scaled;
  params.trace = extras.trace;
  return params;
}

// The reduction finishes where the slices meet in the workspace, and the product elsewhere.
bool needs_reduction(const tw::Sm80Params& p) {
  return p.split == tw::SplitMode::Workspace;
}

KernelSource product_source(const tw::Sm80Params& p) {
  return {
      .file = "gemm_sm80.cu",
      .config_header = format(
          "#pragma once\n"
          "#include \"sm80_params.cuh\"\n"
          "inline constexpr tw::Sm80Params kParams{{.cta_m = {}, .cta_n = {}, .cta_k = {}, "
          ".warps_m = {}, .warps_n = {}, .stages = {}, "
          ".smem = {{static_cast<tw::SmemKind>({}), {}, {}, {}, {}}}, "
          ".element = tw::ElementType::{}, .output = tw::ElementType::{}, "
          ".a_k_contiguous = {}, .b_k_contiguous = {}, .a_copy_bytes = {}, "
          ".b_copy_bytes = {}, .rasters = static_cast<tw::RasterFamily>({}), "
          ".split = static_cast<tw::SplitMode>({}), .source = {}, .bias = {}, "
          ".trace = {}}};\n",
          p.cta_m, p.cta_n, p.cta_k, p.warps_m, p.warps_n, p.stages, static_cast<int>(p.smem.kind),
          p.smem.bits, p.smem.base, p.smem.shift, p.smem.pad, element_name(p.element),
          element_name(p.output), bool_name(p.a_k_contiguous), bool_name(p.b_k_contiguous),
          p.a_copy_bytes, p.b_copy_bytes, static_cast<int>(p.rasters), static_cast<int>(p.split),
          bool_name(p.source), bool_name(p.bias), bool_name(p.trace))};
}

KernelSource reduction_source(const tw::Sm80Params& p) {
  return {
      .file = "sum_slices.cu",
      .config_header = format(
          "#pragma once\n"
          "#include \"finish.cuh\"\n"
          "inline constexpr tw::FinishParams kFinishParams{{.element = tw::ElementType::{}, "
          ".output = tw::ElementType::{}, .source = {}, .bias = {}}};\n",
          element_name(p.element), element_name(p.output), bool_name(p.source), bool_name(p.bias))};
}

class Sm80Kernel : public GemmKernel {
 public:
  Sm80Kernel(std::span<const std::string> cubins, const tw::Sm80Params& params)
      : params_(params), product_(cubins.front(), "gemm_sm80") {
    product_.allow_smem(params_.smem_bytes());
    if (needs_reduction(params_)) reduction_.emplace(cubins.back(), "sum_slices");
  }

  int64_t workspace_bytes(const Problem&, const TileConfig&) const override {
    return params_.split == tw::SplitMode::None ? 0 : tw::kSplitCounterBytes;
  }

  int64_t scratch_bytes(const Problem& problem, const TileConfig& config) const override {
    if (params_.split == tw::SplitMode::None) return 0;
    constexpr int64_t kSumBytes = 4;
    const int64_t sums = params_.split == tw::SplitMode::Serial
                             ? int64_t{slots(problem, config)} * params_.cta_m * params_.cta_n
                             : slice_stride(problem) * slice_count(config, problem.shape);
    return sums * kSumBytes;
  }

  void launch(const Problem& problem, const TileConfig& config,
              const GemmLaunch& launch) const override;

 private:
  static int slots(const Problem& problem, const TileConfig& config) {
    return tw::slot_count<int>(config.raster, cluster_grid(problem.shape, config));
  }
  static int64_t slice_stride(const Problem& problem) {
    return round_up<int64_t>(problem.shape.m * problem.shape.n, tw::kPartialVector);
  }
  void reduce(const tw::Sm80Args& args, cudaStream_t stream) const;

  tw::Sm80Params params_;
  LoadedKernel product_;
  std::optional<LoadedKernel> reduction_;
};

void Sm80Kernel::launch(const Problem& problem, const TileConfig& config,
                        const GemmLaunch& launch) const {
  const GemmShape& s = problem.shape;
  const bool divided = params_.split != tw::SplitMode::None;
  tw::Sm80Args args{.m = static_cast<int>(s.m),
                    .n = static_cast<int>(s.n),
                    .k = static_cast<int>(s.k),
                    .alpha = launch.scaling.alpha,
                    .beta = launch.scaling.beta,
                    .a = static_cast<const unsigned short*>(launch.operands.a),
                    .b = static_cast<const unsigned short*>(launch.operands.b),
                    .c = static_cast<const unsigned short*>(launch.operands.c),
                    .bias = static_cast<const unsigned short*>(launch.operands.bias),
                    .d = launch.operands.d,
                    .raster = config.raster,
                    .tiles = cluster_grid(s, config),
                    .slices = slice_count(config, s),
                    .counters = divided ? static_cast<int*>(launch.workspace) : nullptr,
                    .partials = divided ? static_cast<float*>(launch.scratch) : nullptr,
                    .slice_stride = slice_stride(problem),
                    .trace = launch.trace};
  void* arguments[] = {&args};
  product_.launch({.ctas = slots(problem, config) * args.slices,
                   .threads = params_.threads(),
                   .cluster_size = 1,
                   .smem_bytes = params_.smem_bytes()},
                  arguments, launch.stream);
  if (reduction_) reduce(args, launch.stream);
}

void Sm80Kernel::reduce(const tw::Sm80Args& args, cudaStream_t stream) const {
  constexpr int kThreads = 256;
  tw::SliceSumArgs reduce{.elements = int64_t{args.m} * args.n,
                          .n = args.n,
                          .slices = args.slices,
                          .partials = args.partials,
                          .slice_stride = args.slice_stride,
                          .alpha = args.alpha,
                          .beta = args.beta,
                          .c = args.c,
                          .bias = args.bias,
                          .d = args.d};
  void* arguments[] = {&reduce};
  const int64_t vectors = ceil_div<int64_t>(reduce.elements, tw::kPartialVector);
  reduction_->launch({.ctas = static_cast<int>(ceil_div<int64_t>(vectors, kThreads)),
                      .threads = kThreads,
                      .cluster_size = 1,
                      .smem_bytes = 0},
                     arguments, stream);
}

}  // namespace

std::vector<KernelSource> sm80_sources(const Problem& problem, const TileConfig& config,
                                       KernelExtras extras) {
  const tw::Sm80Params params = sm80_params_of(problem, config, extras);
  std::vector<KernelSource> sources{product_source(params)};
  if (needs_reduction(params)) sources.push_back(reduction_source(params));
  return sources;
}

std::unique_ptr<GemmKernel> load_sm80_kernel(std::span<const std::string> cubins,
                                             const Problem& problem, const TileConfig& config,
                                             KernelExtras extras) {
  return std::make_unique<Sm80Kernel>(cubins, sm80_params_of(problem, config, extras));
}

}  // namespace tilewright
