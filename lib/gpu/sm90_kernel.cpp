#include "gpu/sm90_kernel.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "gpu/check.hpp"
#include "gpu/kernel_text.hpp"
#include "gpu/loaded_kernel.hpp"
#include "gpu/tensor_map.hpp"

namespace tilewright {
namespace {

tw::TileParams params_of(const Problem& problem, const TileConfig& config, KernelExtras extras) {
  tw::TileParams params = kernel_params(config, problem);
  params.source = extras.source;
  params.trace = extras.trace;
  return params;
}

KernelSource gemm_source(const tw::TileParams& p) {
  return {.file = "gemm_sm90.cu",
          .config_header = format(
              "#pragma once\n"
              "#include \"tile_params.cuh\"\n"
              "inline constexpr tw::TileParams kParams{{.cta_m = {}, .cta_n = {}, .cta_k = {}, "
              ".stages = {}, .cluster_m = {}, .cluster_n = {}, .schedule = tw::KernelSchedule::{}, "
              ".element = tw::ElementType::{}, "
              ".rasters = static_cast<tw::RasterFamily>({}), .source = {}, .trace = {}}};\n",
              p.cta_m, p.cta_n, p.cta_k, p.stages, p.cluster_m, p.cluster_n,
              p.ping_pong() ? "PingPong" : "Cooperative", element_name(p.element),
              static_cast<int>(p.rasters), bool_name(p.source), bool_name(p.trace))};
}

LaunchShape launch_shape(const tw::TileParams& p, int clusters) {
  return {.ctas = clusters * p.cluster_size(),
          .threads = p.threads(),
          .cluster_size = p.cluster_size(),
          .smem_bytes = p.smem_bytes()};
}

class Sm90Kernel : public GemmKernel {
 public:
  Sm90Kernel(const std::string& cubin, const tw::TileParams& params)
      : params_(params), kernel_(cubin, "gemm_sm90") {
    kernel_.allow_smem(params_.smem_bytes());
    resident_clusters_ = kernel_.resident_clusters(launch_shape(params_, 1));
  }

  int64_t workspace_bytes(const Problem&, const TileConfig&) const override { return 0; }

  void launch(const Problem& problem, const TileConfig& config,
              const GemmLaunch& launch) const override;

 private:
  tw::TileParams params_;
  LoadedKernel kernel_;
  int resident_clusters_ = 0;
};

void Sm90Kernel::launch(const Problem& problem, const TileConfig& config,
                        const GemmLaunch& launch) const {
  const GemmShape& s = problem.shape;
  // A CTA of a cluster loads its share of the operand that the cluster has in common.
  const TensorBox a_box{.rows = params_.cta_m / params_.cluster_n,
                        .columns = params_.cta_k,
                        .l2_promotion_bytes = config.l2_promotion_bytes};
  const TensorBox b_box{.rows = params_.cta_n / params_.cluster_m,
                        .columns = params_.cta_k,
                        .l2_promotion_bytes = config.l2_promotion_bytes};
  const TensorBox d_box{.rows = tw::TileParams::kMmaM, .columns = params_.store_columns()};
  CUtensorMap a = make_tensor_map(launch.operands.a, problem.dtype, s.m, s.k, s.k, a_box);
  CUtensorMap b = make_tensor_map(launch.operands.b, problem.dtype, s.n, s.k, s.k, b_box);
  CUtensorMap d = make_tensor_map(launch.operands.d, problem.dtype, s.m, s.n, s.n, d_box);
  const TileCoord clusters = cluster_grid(s, config);
  tw::GemmArgs args{.m = static_cast<int>(s.m),
                    .n = static_cast<int>(s.n),
                    .k = static_cast<int>(s.k),
                    .alpha = launch.scaling.alpha,
                    .beta = launch.scaling.beta,
                    .c = static_cast<const unsigned short*>(launch.operands.c),
                    .ldc = s.n,
                    .raster = cluster_raster(config),
                    .clusters = clusters,
                    .slots = tw::slot_count<int>(cluster_raster(config), clusters),
                    .trace = launch.trace};
  void* arguments[] = {&a, &b, &d, &args};
  kernel_.launch(launch_shape(params_, std::min(resident_clusters_, args.slots)), arguments,
                 launch.stream);
}

}  // namespace

std::vector<KernelSource> sm90_sources(const Problem& problem, const TileConfig& config,
                                       KernelExtras extras) {
  return {gemm_source(params_of(problem, config, extras))};
}

std::unique_ptr<GemmKernel> load_sm90_kernel(std::span<const std::string> cubins,
                                             const Problem& problem, const TileConfig& config,
                                             KernelExtras extras) {
  return std::make_unique<Sm90Kernel>(cubins.front(), params_of(problem, config, extras));
}

}  // namespace tilewright
