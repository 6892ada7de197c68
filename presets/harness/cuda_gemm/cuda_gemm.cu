// A bf16 product on tensor cores in plain CUDA, behind tilewright's harness interface.
//
// D = alpha * A B, A m x k and B n x k with k contiguous ("tn"), any m and n, k a multiple of 8. A
// CTA of eight warps computes a tile of tile_m x tile_n. CTAs walk `group` rows of tiles together,
// so that the slabs of B that these rows share hit in L2.
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <mma.h>
#include <tilewright_harness.h>

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>

namespace {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kStep = 32;          // elements of k per step
constexpr int kPitch = kStep + 8;  // elements from one row of a slab to the next in shared memory
constexpr int kVector = 8;         // elements per 16-byte load

struct Tile {
  int m;
  int n;
};

struct Problem {
  int64_t m, n, k, lda, ldb, ldd;
  float alpha;
  int group;  // rows of tiles that the CTAs walk together
};

// The tile of a slot: the kernel calls it with its CTA's number, tilewright with every slot.
__host__ __device__ Tile tile_of(int64_t slot, int64_t tiles_m, int64_t tiles_n, int group) {
  const int64_t slots_of_group = group * tiles_n;
  const int64_t first = slot / slots_of_group * group;
  const int64_t rows = tiles_m - first < group ? tiles_m - first : group;
  const int64_t within = slot % slots_of_group;
  return {static_cast<int>(first + within % rows), static_cast<int>(within / rows)};
}

__host__ __device__ int64_t tiles_over(int64_t extent, int64_t tile) {
  return (extent + tile - 1) / tile;
}

// Copies kStep columns of `rows` rows into shared memory, with zeros beyond the matrix.
__device__ void load_slab(__nv_bfloat16* slab, const __nv_bfloat16* matrix, int64_t pitch,
                          int64_t first, int64_t last, int64_t k_begin, int64_t k, int rows) {
  constexpr int kVectors = kStep / kVector;
  for (int i = static_cast<int>(threadIdx.x); i < rows * kVectors; i += kThreads) {
    const int row = i / kVectors;
    const int column = i % kVectors * kVector;
    const int64_t at = first + row;
    uint4 value{0, 0, 0, 0};
    if (at < last && k_begin + column < k) {
      value = *reinterpret_cast<const uint4*>(matrix + at * pitch + k_begin + column);
    }
    *reinterpret_cast<uint4*>(slab + row * kPitch + column) = value;
  }
}

template <int kTileM, int kTileN>
__global__ void __launch_bounds__(kThreads)
    multiply(Problem p, const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* d) {
  using namespace nvcuda;
  constexpr int kWarpsM = 2;
  constexpr int kWarpsN = kWarps / kWarpsM;
  constexpr int kFragmentsM = kTileM / kWarpsM / 16;
  constexpr int kFragmentsN = kTileN / kWarpsN / 16;
  __shared__ alignas(16) __nv_bfloat16 slab_a[kTileM * kPitch];
  __shared__ alignas(16) __nv_bfloat16 slab_b[kTileN * kPitch];
  __shared__ alignas(16) float block[kWarps][16 * 16];

  const Tile tile = tile_of(blockIdx.x, tiles_over(p.m, kTileM), tiles_over(p.n, kTileN), p.group);
  const int64_t row_0 = int64_t{tile.m} * kTileM;
  const int64_t column_0 = int64_t{tile.n} * kTileN;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp_m = warp / kWarpsN * kFragmentsM * 16;
  const int warp_n = warp % kWarpsN * kFragmentsN * 16;

  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[kFragmentsM][kFragmentsN];
  for (auto& row : sums) {
    for (auto& sum : row) wmma::fill_fragment(sum, 0.0F);
  }
  for (int64_t k_begin = 0; k_begin < p.k; k_begin += kStep) {
    load_slab(slab_a, a, p.lda, row_0, p.m, k_begin, p.k, kTileM);
    load_slab(slab_b, b, p.ldb, column_0, p.n, k_begin, p.k, kTileN);
    __syncthreads();
    for (int k = 0; k < kStep; k += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> left[kFragmentsM];
      for (int i = 0; i < kFragmentsM; ++i) {
        wmma::load_matrix_sync(left[i], slab_a + (warp_m + i * 16) * kPitch + k, kPitch);
      }
      for (int j = 0; j < kFragmentsN; ++j) {
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major> right;
        wmma::load_matrix_sync(right, slab_b + (warp_n + j * 16) * kPitch + k, kPitch);
        for (int i = 0; i < kFragmentsM; ++i) {
          wmma::mma_sync(sums[i][j], left[i], right, sums[i][j]);
        }
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < kFragmentsM; ++i) {
    for (int j = 0; j < kFragmentsN; ++j) {
      wmma::store_matrix_sync(block[warp], sums[i][j], 16, wmma::mem_row_major);
      __syncwarp();
      for (int e = lane; e < 16 * 16; e += 32) {
        const int64_t row = row_0 + warp_m + i * 16 + e / 16;
        const int64_t column = column_0 + warp_n + j * 16 + e % 16;
        if (row < p.m && column < p.n) {
          d[row * p.ldd + column] = __float2bfloat16(p.alpha * block[warp][e]);
        }
      }
      __syncwarp();
    }
  }
}

using Kernel = void (*)(Problem, const __nv_bfloat16*, const __nv_bfloat16*, __nv_bfloat16*);

Kernel kernel_of(int64_t tile_m, int64_t tile_n) {
  if (tile_m == 64) return tile_n == 64 ? multiply<64, 64> : multiply<64, 128>;
  return tile_n == 64 ? multiply<128, 64> : multiply<128, 128>;
}

struct State {
  Problem problem;
  Kernel kernel;
  int64_t tiles_m, tiles_n;
};

int fail(TilewrightHarnessMessage* message, const char* text, ...) {
  va_list arguments;
  va_start(arguments, text);
  std::vsnprintf(message->text, sizeof(message->text), text, arguments);
  va_end(arguments);
  return 1;
}

int64_t value_of(const TilewrightHarnessProblem* problem, const char* axis) {
  for (int i = 0; i < problem->value_count; ++i) {
    if (std::strcmp(problem->values[i].axis, axis) == 0) return problem->values[i].value;
  }
  return 0;
}

}  // namespace

extern "C" {

int tilewright_harness_describe(TilewrightHarnessDescription* description,
                                TilewrightHarnessMessage*) {
  description->abi_version = TILEWRIGHT_HARNESS_ABI;
  description->json = R"({
    "name": "cuda_gemm", "memory": "cuda", "op": ["gemm"], "dtype": ["bf16"],
    "epilogue": ["alpha"],
    "axes": {"tile_m": [128, 64], "tile_n": [128, 64], "group": [8, 1, 4, 16]},
    "constraints": ["k % 8 == 0"]})";
  return 0;
}

int tilewright_harness_prepare(const TilewrightHarnessProblem* problem, TilewrightHarnessPlan* plan,
                               TilewrightHarnessMessage* message) {
  const int64_t tile_m = value_of(problem, "tile_m");
  const int64_t tile_n = value_of(problem, "tile_n");
  if (problem->lda[0] % kVector != 0 || problem->ldb[0] % kVector != 0) {
    return fail(message, "leading dimensions %lld and %lld are no multiples of %d",
                static_cast<long long>(problem->lda[0]), static_cast<long long>(problem->ldb[0]),
                kVector);
  }
  State* const state = new (std::nothrow) State;
  if (state == nullptr) return fail(message, "no host memory");
  state->problem = {problem->m[0],   problem->n[0],
                    problem->k[0],   problem->lda[0],
                    problem->ldb[0], problem->ldd[0],
                    problem->alpha,  static_cast<int>(value_of(problem, "group"))};
  state->kernel = kernel_of(tile_m, tile_n);
  state->tiles_m = tiles_over(problem->m[0], tile_m);
  state->tiles_n = tiles_over(problem->n[0], tile_n);
  plan->state = state;
  plan->tile_m = tile_m;
  plan->tile_n = tile_n;
  plan->slot_count = state->tiles_m * state->tiles_n;
  return 0;
}

int tilewright_harness_run(void* opaque, const TilewrightHarnessOperands* operands, void* stream,
                           TilewrightHarnessMessage* message) {
  const State& state = *static_cast<const State*>(opaque);
  const auto ctas = static_cast<unsigned>(state.tiles_m * state.tiles_n);
  state.kernel<<<ctas, kThreads, 0, static_cast<cudaStream_t>(stream)>>>(
      state.problem, static_cast<const __nv_bfloat16*>(operands->a[0]),
      static_cast<const __nv_bfloat16*>(operands->b[0]),
      static_cast<__nv_bfloat16*>(operands->d[0]));
  const cudaError_t status = cudaGetLastError();
  return status == cudaSuccess ? 0 : fail(message, "%s", cudaGetErrorString(status));
}

int tilewright_harness_tile(const void* opaque, int64_t slot, int64_t* m, int64_t* n) {
  const State& state = *static_cast<const State*>(opaque);
  const Tile tile = tile_of(slot, state.tiles_m, state.tiles_n, state.problem.group);
  *m = tile.m;
  *n = tile.n;
  return 0;
}

void tilewright_harness_release(void* opaque) {
  delete static_cast<State*>(opaque);
}

}  // extern "C"
