// A bf16 product in two launches, for a manifest of cubins: `multiply` writes partial sums over K
// into scratch memory, and `sum` adds them up.
//
// A is m x k and B is n x k with k contiguous ("tn"). TMA copies boxes of kStep columns into shared
// memory and fills what lies outside of a matrix with zeros. A CTA computes TILE_M x kTileN sums of
// one part of K; its index along z is the part.
#include <cuda.h>
#include <cuda_bf16.h>
#include <mma.h>

#include <cstdint>

#ifndef TILE_M
#define TILE_M 128
#endif

namespace {

constexpr int kTileM = TILE_M;
constexpr int kTileN = 64;
constexpr int kStep = 32;  // elements of k per step
constexpr int kThreads = 256;
constexpr int kWarpsM = 4;
constexpr int kWarpsN = 2;
constexpr int kFragmentsM = kTileM / kWarpsM / 16;
constexpr int kFragmentsN = kTileN / kWarpsN / 16;

__device__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

__device__ void copy_box(void* box, const CUtensorMap& map, int column, int row,
                         uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(box)),
      "l"(&map), "r"(column), "r"(row), "r"(shared_address(barrier))
      : "memory");
}

__device__ void wait(uint64_t* barrier, unsigned phase) {
  unsigned done = 0;
  while (done == 0) {
    asm volatile(
        "{\n.reg .pred p;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
        "selp.u32 %0, 1, 0, p;\n}"
        : "=r"(done)
        : "r"(shared_address(barrier)), "r"(phase)
        : "memory");
  }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(kThreads)
    multiply(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
             float* partial, int m, int n, int k_part) {
  using namespace nvcuda;
  __shared__ alignas(128) __nv_bfloat16 slab_a[kTileM * kStep];
  __shared__ alignas(128) __nv_bfloat16 slab_b[kTileN * kStep];
  __shared__ alignas(16) float block[kThreads / 32][16 * 16];
  __shared__ uint64_t barrier;

  const int tiles_n = (n + kTileN - 1) / kTileN;
  const int row_0 = static_cast<int>(blockIdx.x) / tiles_n * kTileM;
  const int column_0 = static_cast<int>(blockIdx.x) % tiles_n * kTileN;
  const int k_begin = static_cast<int>(blockIdx.z) * k_part;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp_m = warp / kWarpsN * kFragmentsM * 16;
  const int warp_n = warp % kWarpsN * kFragmentsN * 16;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&barrier)));
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();

  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[kFragmentsM][kFragmentsN];
  for (auto& row : sums) {
    for (auto& one : row) wmma::fill_fragment(one, 0.0F);
  }
  unsigned phase = 0;
  for (int k = k_begin; k < k_begin + k_part; k += kStep, phase ^= 1) {
    if (threadIdx.x == 0) {
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
      asm volatile(
          "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&barrier)),
          "r"(static_cast<unsigned>(sizeof(slab_a) + sizeof(slab_b)))
          : "memory");
      copy_box(slab_a, a, k, row_0, &barrier);
      copy_box(slab_b, b, k, column_0, &barrier);
    }
    wait(&barrier, phase);
    for (int step = 0; step < kStep; step += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> left[kFragmentsM];
      for (int i = 0; i < kFragmentsM; ++i) {
        wmma::load_matrix_sync(left[i], slab_a + (warp_m + i * 16) * kStep + step, kStep);
      }
      for (int j = 0; j < kFragmentsN; ++j) {
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major> right;
        wmma::load_matrix_sync(right, slab_b + (warp_n + j * 16) * kStep + step, kStep);
        for (int i = 0; i < kFragmentsM; ++i) {
          wmma::mma_sync(sums[i][j], left[i], right, sums[i][j]);
        }
      }
    }
    __syncthreads();
  }
  float* const part = partial + static_cast<int64_t>(blockIdx.z) * m * n;
  for (int i = 0; i < kFragmentsM; ++i) {
    for (int j = 0; j < kFragmentsN; ++j) {
      wmma::store_matrix_sync(block[warp], sums[i][j], 16, wmma::mem_row_major);
      __syncwarp();
      for (int e = lane; e < 16 * 16; e += 32) {
        const int row = row_0 + warp_m + i * 16 + e / 16;
        const int column = column_0 + warp_n + j * 16 + e % 16;
        if (row < m && column < n) part[static_cast<int64_t>(row) * n + column] = block[warp][e];
      }
      __syncwarp();
    }
  }
}

// The parameter of sum. The manifest has the places of its members, in bytes.
struct Sum {
  const float* partial;
  __nv_bfloat16* d;
  int m;
  int n;
  int parts;
  int64_t ldd;  // at 32: a compiler leaves four bytes free before it
  float alpha;
};

// D = alpha * the sum of `parts` matrices of m x n.
extern "C" __global__ void __launch_bounds__(kThreads) sum(const Sum given) {
  const int64_t count = static_cast<int64_t>(given.m) * given.n;
  const int64_t at = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (at >= count) return;
  float value = 0;
  for (int part = 0; part < given.parts; ++part) value += given.partial[part * count + at];
  given.d[at / given.n * given.ldd + at % given.n] = __float2bfloat16(given.alpha * value);
}
