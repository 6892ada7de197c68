// CUTLASS 3's collectives for Hopper behind tilewright's harness interface: D = alpha * A B of
// bf16, A m x k and B n x k with k contiguous ("tn").
//
// Tile and cluster are types, so each pair is a kernel of its own. The raster order and the size of
// its swizzle are arguments of the tile scheduler.
#include <cuda_runtime.h>
#include <tilewright_harness.h>

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>

#include "cutlass/cutlass.h"
#include "cutlass/epilogue/collective/collective_builder.hpp"
#include "cutlass/gemm/collective/collective_builder.hpp"
#include "cutlass/gemm/device/gemm_universal_adapter.h"
#include "cutlass/gemm/kernel/gemm_universal.hpp"

namespace {

using Element = cutlass::bfloat16_t;
constexpr int kAlignment = 8;  // elements: TMA needs 16 bytes

int fail(TilewrightHarnessMessage* message, const char* text, ...) {
  va_list arguments;
  va_start(arguments, text);
  std::vsnprintf(message->text, sizeof(message->text), text, arguments);
  va_end(arguments);
  return 1;
}

struct Problem {
  int m, n, k;
  int64_t lda, ldb, ldd;
  float alpha;
  int raster;   // 0: CUTLASS chooses; 1: along m; 2: along n
  int swizzle;  // tiles
  cutlass::KernelHardwareInfo device;
};

template <int kTileM, int kTileN, int kClusterM, int kClusterN>
struct Kernel {
  using Tile = cute::Shape<cute::Int<kTileM>, cute::Int<kTileN>, cute::_64>;
  using Cluster = cute::Shape<cute::Int<kClusterM>, cute::Int<kClusterN>, cute::_1>;
  using Epilogue = typename cutlass::epilogue::collective::CollectiveBuilder<
      cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, Tile, Cluster,
      cutlass::epilogue::collective::EpilogueTileAuto, float, float, void,
      cutlass::layout::RowMajor, kAlignment, Element, cutlass::layout::RowMajor, kAlignment,
      cutlass::epilogue::collective::EpilogueScheduleAuto>::CollectiveOp;
  using Stages = cutlass::gemm::collective::StageCountAutoCarveout<static_cast<int>(
      sizeof(typename Epilogue::SharedStorage))>;
  using Mainloop = typename cutlass::gemm::collective::CollectiveBuilder<
      cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, Element, cutlass::layout::RowMajor,
      kAlignment, Element, cutlass::layout::ColumnMajor, kAlignment, float, Tile, Cluster, Stages,
      cutlass::gemm::collective::KernelScheduleAuto>::CollectiveOp;
  using Gemm = cutlass::gemm::device::GemmUniversalAdapter<
      cutlass::gemm::kernel::GemmUniversal<cute::Shape<int, int, int, int>, Mainloop, Epilogue>>;

  static typename Gemm::Arguments arguments(const Problem& p, const Element* a, const Element* b,
                                            Element* d) {
    using Raster = typename Gemm::GemmKernel::TileScheduler::RasterOrderOptions;
    typename Gemm::GemmKernel::StrideA stride_a{};
    typename Gemm::GemmKernel::StrideB stride_b{};
    typename Gemm::GemmKernel::StrideD stride_d{};
    cute::get<0>(stride_a) = p.lda;
    cute::get<0>(stride_b) = p.ldb;
    cute::get<0>(stride_d) = p.ldd;
    typename Gemm::Arguments given{cutlass::gemm::GemmUniversalMode::kGemm,
                                   {p.m, p.n, p.k, 1},
                                   {a, stride_a, b, stride_b},
                                   {{p.alpha, 0.0F}, nullptr, {}, d, stride_d},
                                   p.device};
    given.scheduler.max_swizzle_size = p.swizzle;
    given.scheduler.raster_order = p.raster == 1   ? Raster::AlongM
                                   : p.raster == 2 ? Raster::AlongN
                                                   : Raster::Heuristic;
    return given;
  }

  static int check(const Problem& p, TilewrightHarnessMessage* message) {
    const cutlass::Status status = Gemm::can_implement(arguments(p, nullptr, nullptr, nullptr));
    if (status == cutlass::Status::kSuccess) return 0;
    return fail(message, "CUTLASS: %s", cutlassGetStatusString(status));
  }

  // Encodes the tensor maps of these operands, and launches.
  static int run(const Problem& p, const TilewrightHarnessOperands& operands, cudaStream_t stream,
                 TilewrightHarnessMessage* message) {
    Gemm gemm;
    cutlass::Status status = gemm.initialize(
        arguments(p, static_cast<const Element*>(operands.a[0]),
                  static_cast<const Element*>(operands.b[0]), static_cast<Element*>(operands.d[0])),
        operands.workspace, stream);
    if (status == cutlass::Status::kSuccess) status = gemm.run(stream);
    if (status == cutlass::Status::kSuccess) return 0;
    return fail(message, "CUTLASS: %s", cutlassGetStatusString(status));
  }
};

struct Choice {
  int tile_m, tile_n, cluster_m, cluster_n;
  int (*check)(const Problem&, TilewrightHarnessMessage*);
  int (*run)(const Problem&, const TilewrightHarnessOperands&, cudaStream_t,
             TilewrightHarnessMessage*);
};

template <int kTileM, int kTileN, int kClusterM, int kClusterN>
constexpr Choice choice_of() {
  using One = Kernel<kTileM, kTileN, kClusterM, kClusterN>;
  return {kTileM, kTileN, kClusterM, kClusterN, &One::check, &One::run};
}

constexpr Choice kChoices[] = {
    choice_of<128, 256, 2, 1>(), choice_of<128, 256, 1, 1>(), choice_of<128, 128, 2, 1>(),
    choice_of<128, 128, 1, 1>(), choice_of<64, 128, 1, 1>(),
};

struct State {
  Problem problem;
  const Choice* choice;
};

int value_of(const TilewrightHarnessProblem* problem, const char* axis) {
  for (int i = 0; i < problem->value_count; ++i) {
    if (std::strcmp(problem->values[i].axis, axis) == 0) {
      return static_cast<int>(problem->values[i].value);
    }
  }
  return 0;
}

const Choice* find_choice(const TilewrightHarnessProblem* problem) {
  for (const Choice& choice : kChoices) {
    if (choice.tile_m == value_of(problem, "tile_m") &&
        choice.tile_n == value_of(problem, "tile_n") &&
        choice.cluster_m == value_of(problem, "cluster_m") &&
        choice.cluster_n == value_of(problem, "cluster_n")) {
      return &choice;
    }
  }
  return nullptr;
}

}  // namespace

extern "C" {

int tilewright_harness_describe(TilewrightHarnessDescription* description,
                                TilewrightHarnessMessage*) {
  description->abi_version = TILEWRIGHT_HARNESS_ABI;
  description->json = R"json({
    "name": "cutlass_gemm", "memory": "cuda", "op": ["gemm"], "dtype": ["bf16"],
    "epilogue": ["alpha"],
    "axes": {"tile_m": [128, 64], "tile_n": [256, 128], "cluster_m": [2, 1], "cluster_n": [1],
             "raster": [0, 1, 2], "swizzle": [1, 4, 8]},
    "constraints": ["tile_m == 128 || (tile_n == 128 && cluster_m == 1)"]})json";
  return 0;
}

int tilewright_harness_prepare(const TilewrightHarnessProblem* problem, TilewrightHarnessPlan* plan,
                               TilewrightHarnessMessage* message) {
  const Choice* const choice = find_choice(problem);
  if (choice == nullptr) return fail(message, "no kernel was compiled for this tile and cluster");
  State* const state = new (std::nothrow) State;
  if (state == nullptr) return fail(message, "no host memory");
  Problem& p = state->problem;
  p = {static_cast<int>(problem->m[0]),
       static_cast<int>(problem->n[0]),
       static_cast<int>(problem->k[0]),
       problem->lda[0],
       problem->ldb[0],
       problem->ldd[0],
       problem->alpha,
       value_of(problem, "raster"),
       value_of(problem, "swizzle"),
       {}};
  p.device.sm_count = cutlass::KernelHardwareInfo::query_device_multiprocessor_count(0);
  state->choice = choice;
  if (choice->check(p, message) != 0) {
    delete state;
    return 1;
  }
  plan->state = state;
  return 0;
}

int tilewright_harness_run(void* opaque, const TilewrightHarnessOperands* operands, void* stream,
                           TilewrightHarnessMessage* message) {
  const State& state = *static_cast<const State*>(opaque);
  return state.choice->run(state.problem, *operands, static_cast<cudaStream_t>(stream), message);
}

void tilewright_harness_release(void* opaque) {
  delete static_cast<State*>(opaque);
}

}  // extern "C"
