#include "gpu/sm90_kernel.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/math.hpp"
#include "base/text.hpp"
#include "gpu/check.hpp"
#include "gpu/kernel_text.hpp"
#include "gpu/loaded_kernel.hpp"
#include "gpu/tensor_map.hpp"
#include "repack_args.cuh"

namespace tilewright {
namespace {

tw::TileParams params_of(const Problem& problem, const TileConfig& config, KernelExtras extras) {
  tw::TileParams params = kernel_params(config, problem);
  params.scaled = extras.scaled;
  params.trace = extras.trace;
  return params;
}

KernelSource gemm_source(const tw::TileParams& p) {
  return {
      .file = "gemm_sm90.cu",
      .config_header = format(
          "#pragma once\n"
          "#include \"tile_params.cuh\"\n"
          "inline constexpr tw::TileParams kParams{{.cta_m = {}, .cta_n = {}, .cta_k = {}, "
          ".stages = {}, .cluster_m = {}, .cluster_n = {}, .schedule = tw::KernelSchedule::{}, "
          ".element = tw::ElementType::{}, .output = tw::ElementType::{}, .a_mn_major = {}, "
          ".b_mn_major = {}, .swapped = {}, .store_columns = {}, .direct_store = {}, "
          ".held_stages = {}, .bias = {}, .rasters = static_cast<tw::RasterFamily>({}), .scaled = "
          "{}, "
          ".trace = {}}};\n",
          p.cta_m, p.cta_n, p.cta_k, p.stages, p.cluster_m, p.cluster_n,
          p.ping_pong() ? "PingPong" : "Cooperative", element_name(p.element),
          element_name(p.output), bool_name(p.a_mn_major), bool_name(p.b_mn_major),
          bool_name(p.swapped), p.store_columns, bool_name(p.direct_store), p.held_stages,
          bool_name(p.bias), static_cast<int>(p.rasters), bool_name(p.scaled), bool_name(p.trace))};
}

LaunchShape launch_shape(const tw::TileParams& p, int clusters) {
  return {.ctas = clusters * p.cluster_size(),
          .threads = p.threads(),
          .cluster_size = p.cluster_size(),
          .smem_bytes = p.smem_bytes()};
}

// An operand as it lies in memory: its lines (rows of A, columns of B) along k or the other way
// round.
struct Matrix {
  const void* data = nullptr;
  int64_t rows = 0;
  int64_t columns = 0;  // contiguous
  int64_t pitch = 0;    // elements between rows
};

Matrix operand(const void* data, int64_t lines, int64_t k, bool mn_major) {
  return mn_major ? Matrix{data, k, lines, lines} : Matrix{data, lines, k, k};
}

int64_t padded_columns(const Matrix& matrix) {
  // TMA asks for 16 bytes; at 128 a row of a box is one line of L2 and not two.
  constexpr int64_t kUnit = 128 / tw::TileParams::kElementBytes;
  return round_up(matrix.columns, kUnit);
}

int64_t padded_bytes(const Matrix& matrix) {
  constexpr int64_t kAlignment = 256;
  return round_up(matrix.rows * padded_columns(matrix) * tw::TileParams::kElementBytes, kAlignment);
}

class Sm90Kernel : public GemmKernel {
 public:
  Sm90Kernel(std::span<const std::string> cubins, const tw::TileParams& params)
      : params_(params), kernel_(cubins.front(), "gemm_sm90") {
    if (cubins.size() > 1) repack_.emplace(cubins.back(), "repack");
    kernel_.allow_smem(params_.smem_bytes());
    resident_clusters_ = kernel_.resident_clusters(launch_shape(params_, 1));
  }

  int64_t workspace_bytes(const Problem&, const TileConfig&) const override { return 0; }

  int64_t scratch_bytes(const Problem& problem, const TileConfig&) const override {
    const Repacked repacked = repacked_operands(problem);
    return (repacked.a ? padded_bytes(operand_a(problem, {})) : 0) +
           (repacked.b ? padded_bytes(operand_b(problem, {})) : 0);
  }

  void launch(const Problem& problem, const TileConfig& config,
              const GemmLaunch& launch) const override;

 private:
  static Matrix operand_a(const Problem& p, const OperandSet& o) {
    return operand(o.a, p.shape.m, p.shape.k, !k_contiguous_a(p.layout));
  }
  static Matrix operand_b(const Problem& p, const OperandSet& o) {
    return operand(o.b, p.shape.n, p.shape.k, !k_contiguous_b(p.layout));
  }
  void repack(const Problem& problem, const GemmLaunch& launch, Matrix& a, Matrix& b) const;
  CUtensorMap output_map(const Problem& problem, void* d, int columns) const;

  tw::TileParams params_;
  LoadedKernel kernel_;
  std::optional<LoadedKernel> repack_;
  int resident_clusters_ = 0;
};

// How an operand's lines (rows of A, columns of B) are loaded: `lines` a stage by `sharers` CTAs.
struct OperandLoad {
  bool mn_major = false;
  int lines = 0;
  int sharers = 1;
};

// A CTA of a cluster loads its share of the operand that the cluster has in common: lines of a
// K-major one, a range of k of an MN-major one's slabs.
CUtensorMap operand_map(const Matrix& matrix, DataType dtype, const OperandLoad& load,
                        int l2_promotion_bytes) {
  constexpr int kStageK = 64;
  TensorBox box{.l2_promotion_bytes = l2_promotion_bytes};
  if (load.mn_major) {
    box.rows = kStageK / load.sharers;
    box.columns = tw::TileParams::kSlabLines;
  } else {
    const int lines_of_one = load.lines / load.sharers;
    box.rows = lines_of_one / tw::TileParams::boxes(lines_of_one);
    box.columns = kStageK;
  }
  return make_tensor_map(matrix.data, dtype, matrix.rows, matrix.columns, matrix.pitch, box);
}

// Copies the operands that TMA cannot address into the scratch, and points `a` and `b` there.
void Sm90Kernel::repack(const Problem& problem, const GemmLaunch& launch, Matrix& a,
                        Matrix& b) const {
  const Repacked repacked = repacked_operands(problem);
  auto* to = static_cast<char*>(launch.scratch);
  tw::RepackArgs args;
  const auto move = [&to](Matrix& matrix, tw::RepackMatrix& copy) {
    copy = {.from = static_cast<const unsigned short*>(matrix.data),
            .to = reinterpret_cast<unsigned short*>(to),
            .rows = matrix.rows,
            .columns = matrix.columns,
            .pitch = padded_columns(matrix)};
    to += padded_bytes(matrix);
    matrix.data = copy.to;
    matrix.pitch = copy.pitch;
  };
  if (repacked.a) move(a, args.matrices[0]);
  if (repacked.b) move(b, args.matrices[1]);
  void* arguments[] = {&args};
  constexpr LaunchShape kShape{.ctas = 2048, .threads = 256};
  repack_->launch(kShape, arguments, launch.stream);
}

// One store moves 64 tile rows x `columns`: rows of D, or columns of D in a swapped kernel.
CUtensorMap Sm90Kernel::output_map(const Problem& problem, void* d, int columns) const {
  const TensorBox box = params_.swapped
                            ? TensorBox{.rows = columns, .columns = tw::TileParams::kMmaM}
                            : TensorBox{.rows = tw::TileParams::kMmaM, .columns = columns};
  return make_tensor_map(d, output_type(problem), problem.shape.m, problem.shape.n, problem.shape.n,
                         box);
}

void Sm90Kernel::launch(const Problem& problem, const TileConfig& config,
                        const GemmLaunch& launch) const {
  const GemmShape s = kernel_shape(problem.shape, config);
  const OperandSet& o = launch.operands;
  Matrix a_matrix = operand_a(problem, o);
  Matrix b_matrix = operand_b(problem, o);
  if (repack_) repack(problem, launch, a_matrix, b_matrix);
  if (config.swap_ab) std::swap(a_matrix, b_matrix);
  CUtensorMap a =
      operand_map(a_matrix, problem.dtype, {params_.a_mn_major, params_.cta_m, params_.cluster_n},
                  config.l2_promotion_bytes);
  CUtensorMap b =
      operand_map(b_matrix, problem.dtype, {params_.b_mn_major, params_.cta_n, params_.cluster_m},
                  config.l2_promotion_bytes);
  CUtensorMap d{};
  CUtensorMap d_tail{};
  if (!params_.direct_store) {
    d = output_map(problem, o.d, params_.store_columns);
    if (params_.tail_columns() > 0) d_tail = output_map(problem, o.d, params_.tail_columns());
  }
  const TileCoord clusters = cluster_grid(problem.shape, config);
  tw::GemmArgs args{.m = static_cast<int>(s.m),
                    .n = static_cast<int>(s.n),
                    .k = static_cast<int>(s.k),
                    .alpha = launch.scaling.alpha,
                    .beta = launch.scaling.beta,
                    .c = static_cast<const unsigned short*>(o.c),
                    .bias = static_cast<const unsigned short*>(o.bias),
                    .d = o.d,
                    .ldd = problem.shape.n,
                    .raster = cluster_raster(config),
                    .clusters = clusters,
                    .slots = tw::slot_count<int>(cluster_raster(config), clusters),
                    .trace = launch.trace};
  void* arguments[] = {&a, &b, &d, &d_tail, &args};
  kernel_.launch(launch_shape(params_, std::min(resident_clusters_, args.slots)), arguments,
                 launch.stream);
}

}  // namespace

std::vector<KernelSource> sm90_sources(const Problem& problem, const TileConfig& config,
                                       KernelExtras extras) {
  std::vector<KernelSource> sources = {gemm_source(params_of(problem, config, extras))};
  if (repacked_operands(problem) != Repacked{}) {
    sources.push_back({.file = "repack.cu", .config_header = ""});
  }
  return sources;
}

std::unique_ptr<GemmKernel> load_sm90_kernel(std::span<const std::string> cubins,
                                             const Problem& problem, const TileConfig& config,
                                             KernelExtras extras) {
  return std::make_unique<Sm90Kernel>(cubins, params_of(problem, config, extras));
}

}  // namespace tilewright
