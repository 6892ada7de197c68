// CUTLASS 3's collectives for Hopper behind tilewright's harness interface: D = alpha * A B of
// bf16, A m x k and B n x k with k contiguous ("tn").
//
// Tile, cluster and schedule are types, so each choice is a kernel of its own. The raster order and
// the size of its swizzle are arguments of the tile scheduler.
#include <cuda_runtime.h>
#include <tilewright_harness.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>
#include <vector>

#include "cutlass/gemm/kernel/sm90_tile_scheduler.hpp"
#include "kernels.hpp"

namespace {

using cutlass_gemm::Kernel;
using cutlass_gemm::Problem;
using Scheduler = cutlass::gemm::kernel::detail::PersistentTileSchedulerSm90;

int fail(TilewrightHarnessMessage* message, const char* sentence) {
  std::snprintf(message->text, sizeof(message->text), "%s", sentence);
  return 1;
}

struct Choice {
  int tile_m, tile_n, cluster_m, cluster_n, pingpong;
  int (*check)(const Problem&, TilewrightHarnessMessage*);
  int (*run)(const Problem&, const TilewrightHarnessOperands&, cudaStream_t,
             TilewrightHarnessMessage*);
};

#define CHOICE(...) {__VA_ARGS__, &Kernel<__VA_ARGS__>::check, &Kernel<__VA_ARGS__>::run},
constexpr Choice kChoices[] = {CUTLASS_GEMM_KERNELS(CHOICE)};

struct Tile {
  int m, n;
};

struct State {
  Problem problem;
  const Choice* choice;
  std::vector<Tile> tiles;  // of the slots
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
        choice.cluster_n == value_of(problem, "cluster_n") &&
        choice.pingpong == value_of(problem, "pingpong")) {
      return &choice;
    }
  }
  return nullptr;
}

// Asks the kernels' own scheduler for the tile of each slot. It numbers the tiles so that the CTAs
// of a cluster follow each other along the axis that is not the raster's.
__global__ void ask_scheduler(Scheduler::Params params, Tile* tiles, int slot_count) {
  const int slot = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (slot >= slot_count) return;
  const uint64_t in_cluster = slot % params.divmod_cluster_shape_minor_.divisor;
  const auto [m, n] = Scheduler::get_work_idx_m_and_n(
      params.divmod_cluster_shape_minor_.divide(static_cast<uint64_t>(slot)),
      params.divmod_cluster_shape_major_, params.divmod_cluster_shape_minor_,
      params.divmod_cluster_blk_major_, params.log_swizzle_size_, params.raster_order_, in_cluster,
      in_cluster);
  tiles[slot] = {m, n};
}

cudaError_t read_tiles(const Problem& p, const Choice& choice, std::vector<Tile>& tiles) {
  using Options = Scheduler::RasterOrderOptions;
  Scheduler::Params params;
  params.initialize({p.m, p.n, p.k, 1}, {choice.tile_m, choice.tile_n, 64},
                    {choice.cluster_m, choice.cluster_n, 1}, {}, p.swizzle,
                    p.raster == 1 ? Options::AlongM : Options::AlongN);
  tiles.resize(params.blocks_per_problem_);
  const int count = static_cast<int>(tiles.size());
  Tile* on_device = nullptr;
  cudaError_t status = cudaMalloc(&on_device, count * sizeof(Tile));
  if (status != cudaSuccess) return status;
  constexpr int kThreads = 256;
  ask_scheduler<<<(count + kThreads - 1) / kThreads, kThreads>>>(params, on_device, count);
  status = cudaGetLastError();
  if (status == cudaSuccess) {
    status = cudaMemcpy(tiles.data(), on_device, count * sizeof(Tile), cudaMemcpyDeviceToHost);
  }
  const cudaError_t freed = cudaFree(on_device);
  // The scheduler rounds the grid up to whole clusters and swizzles; the kernel skips the rest.
  for (Tile& tile : tiles) {
    if (tile.m * choice.tile_m >= p.m || tile.n * choice.tile_n >= p.n) tile = {-1, -1};
  }
  return status != cudaSuccess ? status : freed;
}

}  // namespace

extern "C" {

int tilewright_harness_describe(TilewrightHarnessDescription* description,
                                TilewrightHarnessMessage*) {
  description->abi_version = TILEWRIGHT_HARNESS_ABI;
  description->json = R"json({
    "name": "cutlass_gemm", "memory": "cuda", "op": ["gemm"], "dtype": ["bf16"],
    "epilogue": ["alpha"],
    "axes": {"tile_m": [128, 256, 64], "tile_n": [256, 128], "cluster_m": [2, 1],
             "cluster_n": [1, 2], "pingpong": [0, 1], "raster": [1, 2], "swizzle": [1, 2, 4, 8]},
    "constraints": ["cluster_m * cluster_n <= 2", "tile_m * tile_n <= 32768",
                    "pingpong == 0 || tile_m * tile_n <= 16384", "pingpong == 1 || tile_m >= 128"]
    })json";
  return 0;
}

int tilewright_harness_prepare(const TilewrightHarnessProblem* problem, TilewrightHarnessPlan* plan,
                               TilewrightHarnessMessage* message) {
  const Choice* const choice = find_choice(problem);
  if (choice == nullptr) return fail(message, "no kernel was compiled for these values");
  State* const state = new (std::nothrow) State{};
  if (state == nullptr) return fail(message, "no host memory");
  state->choice = choice;
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
       0};
  int device = 0;
  cudaError_t status = cudaGetDevice(&device);
  if (status == cudaSuccess) {
    status = cudaDeviceGetAttribute(&p.sm_count, cudaDevAttrMultiProcessorCount, device);
  }
  if (status == cudaSuccess) status = read_tiles(p, *choice, state->tiles);
  const int refused =
      status != cudaSuccess ? fail(message, cudaGetErrorString(status)) : choice->check(p, message);
  if (refused != 0) {
    delete state;
    return refused;
  }
  plan->state = state;
  plan->slot_count = static_cast<int64_t>(state->tiles.size());
  plan->tile_m = choice->tile_m;
  plan->tile_n = choice->tile_n;
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

int tilewright_harness_tile(const void* opaque, int64_t slot, int64_t* m, int64_t* n) {
  const Tile& tile = static_cast<const State*>(opaque)->tiles[static_cast<size_t>(slot)];
  *m = tile.m;
  *n = tile.n;
  return 0;
}

}  // extern "C"
