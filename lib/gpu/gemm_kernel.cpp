#include "gpu/gemm_kernel.hpp"

#include <algorithm>

#include "gpu/check.hpp"
#include "gpu/tensor_map.hpp"

namespace tilewright {
namespace {

LaunchShape launch_shape(const tw::TileParams& p, int clusters) {
  return {.ctas = clusters * p.cluster_size(),
          .threads = p.threads(),
          .cluster_size = p.cluster_size(),
          .smem_bytes = p.smem_bytes()};
}

int slots_of(const Problem& problem, const TileConfig& config) {
  return tw::slot_count<int>(cluster_raster(config), cluster_grid(problem.shape, config));
}

}  // namespace

GemmKernel::GemmKernel(const std::string& cubin, const tw::TileParams& params)
    : params_(params), kernel_(cubin, "gemm_sm90") {
  kernel_.allow_smem(params_.smem_bytes());
  resident_clusters_ = kernel_.resident_clusters(launch_shape(params_, 1));
}

void GemmKernel::launch(const Problem& problem, const TileConfig& config,
                        const OperandSet& operands, Scaling scaling, tw::TraceRecord* trace,
                        cudaStream_t stream) const {
  const GemmShape& s = problem.shape;
  // A CTA of a cluster loads its share of the operand that the cluster has in common.
  const TensorBox a_box{.rows = params_.cta_m / params_.cluster_n,
                        .columns = params_.cta_k,
                        .l2_promotion_bytes = config.l2_promotion_bytes};
  const TensorBox b_box{.rows = params_.cta_n / params_.cluster_m,
                        .columns = params_.cta_k,
                        .l2_promotion_bytes = config.l2_promotion_bytes};
  const TensorBox d_box{.rows = tw::TileParams::kMmaM, .columns = params_.store_columns()};
  CUtensorMap a = make_tensor_map(operands.a, problem.dtype, s.m, s.k, s.k, a_box);
  CUtensorMap b = make_tensor_map(operands.b, problem.dtype, s.n, s.k, s.k, b_box);
  CUtensorMap d = make_tensor_map(operands.d, problem.dtype, s.m, s.n, s.n, d_box);
  tw::GemmArgs args{.m = static_cast<int>(s.m),
                    .n = static_cast<int>(s.n),
                    .k = static_cast<int>(s.k),
                    .alpha = scaling.alpha,
                    .beta = scaling.beta,
                    .c = static_cast<const unsigned short*>(operands.c),
                    .ldc = s.n,
                    .raster = cluster_raster(config),
                    .clusters = cluster_grid(s, config),
                    .slots = slots_of(problem, config),
                    .trace = trace};
  void* arguments[] = {&a, &b, &d, &args};
  const int clusters = std::min(resident_clusters_, args.slots);
  kernel_.launch(launch_shape(params_, clusters), arguments, stream);
}

int64_t trace_record_count(const Problem& problem, const TileConfig& config) {
  return static_cast<int64_t>(slots_of(problem, config)) * config.cluster.m * config.cluster.n;
}

}  // namespace tilewright
