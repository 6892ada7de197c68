// One of CUTLASS 3's products for Hopper, made by its collective builders. TILE_M, TILE_N,
// CLUSTER_M, CLUSTER_N and PINGPONG say which, as in kernels.hpp.
#include <cstdio>

#include "cutlass/cutlass.h"
#include "cutlass/epilogue/collective/collective_builder.hpp"
#include "cutlass/gemm/collective/collective_builder.hpp"
#include "cutlass/gemm/device/gemm_universal_adapter.h"
#include "cutlass/gemm/kernel/gemm_universal.hpp"
#include "kernels.hpp"

namespace cutlass_gemm {
namespace {

using Element = cutlass::bfloat16_t;
constexpr int kAlignment = 8;  // elements: TMA needs 16 bytes

template <int kTileM, int kTileN, int kClusterM, int kClusterN, int kPingpong>
struct Types {
  using Tile = cute::Shape<cute::Int<kTileM>, cute::Int<kTileN>, cute::_64>;
  using Cluster = cute::Shape<cute::Int<kClusterM>, cute::Int<kClusterN>, cute::_1>;
  using MainloopSchedule =
      cute::conditional_t<kPingpong == 1, cutlass::gemm::KernelTmaWarpSpecializedPingpong,
                          cutlass::gemm::KernelTmaWarpSpecializedCooperative>;
  using EpilogueSchedule =
      cute::conditional_t<kPingpong == 1, cutlass::epilogue::TmaWarpSpecialized,
                          cutlass::epilogue::TmaWarpSpecializedCooperative>;
  using Epilogue = typename cutlass::epilogue::collective::CollectiveBuilder<
      cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, Tile, Cluster,
      cutlass::epilogue::collective::EpilogueTileAuto, float, float, void,
      cutlass::layout::RowMajor, kAlignment, Element, cutlass::layout::RowMajor, kAlignment,
      EpilogueSchedule>::CollectiveOp;
  using Stages = cutlass::gemm::collective::StageCountAutoCarveout<static_cast<int>(
      sizeof(typename Epilogue::SharedStorage))>;
  using Mainloop = typename cutlass::gemm::collective::CollectiveBuilder<
      cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, Element, cutlass::layout::RowMajor,
      kAlignment, Element, cutlass::layout::ColumnMajor, kAlignment, float, Tile, Cluster, Stages,
      MainloopSchedule>::CollectiveOp;
  using Gemm = cutlass::gemm::device::GemmUniversalAdapter<
      cutlass::gemm::kernel::GemmUniversal<cute::Shape<int, int, int, int>, Mainloop, Epilogue>>;
};

template <class Gemm>
typename Gemm::Arguments arguments_of(const Problem& p, const Element* a, const Element* b,
                                      Element* d) {
  using Raster = typename Gemm::GemmKernel::TileScheduler::RasterOrderOptions;
  typename Gemm::GemmKernel::StrideA stride_a{};
  typename Gemm::GemmKernel::StrideB stride_b{};
  typename Gemm::GemmKernel::StrideD stride_d{};
  cute::get<0>(stride_a) = p.lda;
  cute::get<0>(stride_b) = p.ldb;
  cute::get<0>(stride_d) = p.ldd;
  cutlass::KernelHardwareInfo device;
  device.sm_count = p.sm_count;
  typename Gemm::Arguments arguments{cutlass::gemm::GemmUniversalMode::kGemm,
                                     {p.m, p.n, p.k, 1},
                                     {a, stride_a, b, stride_b},
                                     {{p.alpha, 0.0F}, nullptr, {}, d, stride_d},
                                     device};
  arguments.scheduler.max_swizzle_size = p.swizzle;
  arguments.scheduler.raster_order = p.raster == 1 ? Raster::AlongM : Raster::AlongN;
  return arguments;
}

int result_of(cutlass::Status status, TilewrightHarnessMessage* message) {
  if (status == cutlass::Status::kSuccess) return 0;
  std::snprintf(message->text, sizeof(message->text), "CUTLASS: %s",
                cutlassGetStatusString(status));
  return 1;
}

}  // namespace

template <int kTileM, int kTileN, int kClusterM, int kClusterN, int kPingpong>
int Kernel<kTileM, kTileN, kClusterM, kClusterN, kPingpong>::check(
    const Problem& problem, TilewrightHarnessMessage* message) {
  using Gemm = typename Types<kTileM, kTileN, kClusterM, kClusterN, kPingpong>::Gemm;
  return result_of(Gemm::can_implement(arguments_of<Gemm>(problem, nullptr, nullptr, nullptr)),
                   message);
}

// Encodes the tensor maps of these operands, and launches.
template <int kTileM, int kTileN, int kClusterM, int kClusterN, int kPingpong>
int Kernel<kTileM, kTileN, kClusterM, kClusterN, kPingpong>::run(
    const Problem& problem, const TilewrightHarnessOperands& operands, cudaStream_t stream,
    TilewrightHarnessMessage* message) {
  using Gemm = typename Types<kTileM, kTileN, kClusterM, kClusterN, kPingpong>::Gemm;
  Gemm gemm;
  const cutlass::Status status =
      gemm.initialize(arguments_of<Gemm>(problem, static_cast<const Element*>(operands.a[0]),
                                         static_cast<const Element*>(operands.b[0]),
                                         static_cast<Element*>(operands.d[0])),
                      operands.workspace, stream);
  return result_of(status == cutlass::Status::kSuccess ? gemm.run(stream) : status, message);
}

template struct Kernel<TILE_M, TILE_N, CLUSTER_M, CLUSTER_N, PINGPONG>;

}  // namespace cutlass_gemm
