// Probes of a device's rates: each kernel measures one thing only. Compiled by NVRTC; loads bypass
// L1.

#include "ptx/cluster.cuh"
#include "ptx/compiler.cuh"
#include "ptx/global_memory.cuh"
#include "ptx/mbarrier.cuh"
#include "ptx/special_registers.cuh"
#include "ptx/tma.cuh"
#include "ptx/wgmma.cuh"

namespace {

__device__ inline unsigned mixed(unsigned x) {
  x = (x ^ (x >> 16)) * 0x7FEB352Du;
  x = (x ^ (x >> 15)) * 0x846CA68Bu;
  return x ^ (x >> 16);
}

// Two bf16 in [-1, 1): a sign, an exponent of 0.5 or 0.25, and a random mantissa.
__device__ inline unsigned random_pair(unsigned seed) {
  return (mixed(seed) & 0x80FF80FFu) | 0x3E803E80u;
}

}  // namespace

extern "C" __global__ void empty() {}

/// Every CTA loads one word, `stride` words from its neighbour's.
extern "C" __global__ void first_load(const unsigned* data, long long stride, unsigned* sink) {
  if (threadIdx.x != 0) return;
  const unsigned v = tw::ptx::load_l2(data + blockIdx.x * stride);
  if (v == 0x9E3779B9u) *sink = v;
}

/// Copies `count` vectors of 16 bytes, 4 per thread; a CTA's threads copy neighbouring vectors.
extern "C" __global__ void __launch_bounds__(256)
    copy_vectors(const uint4* from, uint4* to, long long count) {
  constexpr int kEach = 4;
  const long long first = static_cast<long long>(blockIdx.x) * blockDim.x * kEach + threadIdx.x;
  uint4 v[kEach];
#pragma unroll
  for (int j = 0; j < kEach; ++j) {
    const long long i = first + j * blockDim.x;
    if (i < count) v[j] = tw::ptx::load_l2(from + i);
  }
#pragma unroll
  for (int j = 0; j < kEach; ++j) {
    const long long i = first + j * blockDim.x;
    if (i < count) to[i] = v[j];
  }
}

/// Copies `chunks` pieces of 8 KiB to shared memory `repeats` times in the way of the products: one
/// thread per CTA, a ring of sixteen pieces in flight. In each repeat another CTA reads a piece.
/// `clocks`: of the first CTA, from its start to its end. 131072 bytes of dynamic shared memory.
extern "C" __global__ void __launch_bounds__(32, 1)
    read_chunks(const unsigned char* from, int chunks, int repeats, int sharing,
                long long* clocks) {
  constexpr unsigned kBytes = 8192;
  constexpr int kStages = 16;
  extern __shared__ __align__(1024) unsigned char memory[];
  __shared__ unsigned long long barriers[kStages];
  const int groups = static_cast<int>(gridDim.x) / sharing;
  const int group = static_cast<int>(blockIdx.x) / sharing;
  if (threadIdx.x != 0 || group == groups) return;
  const auto base = static_cast<unsigned>(__cvta_generic_to_shared(memory));
  const auto full = static_cast<unsigned>(__cvta_generic_to_shared(barriers));
  for (int stage = 0; stage < kStages; ++stage) tw::ptx::mbarrier_init(full + 8 * stage, 1);
  tw::ptx::fence_mbarrier_init();
  const long long start = clock64();
  int issued = 0;
  const auto wait_for = [&](int piece) {
    tw::ptx::mbarrier_wait(full + 8 * (piece % kStages), (piece / kStages) & 1);
  };
  for (int r = 0; r < repeats; ++r) {
    const int first = static_cast<int>((group + r * 37u) % groups);
    for (int chunk = first; chunk < chunks; chunk += groups, ++issued) {
      if (issued >= kStages) wait_for(issued - kStages);
      const unsigned stage = issued % kStages;
      tw::ptx::mbarrier_arrive_expect(full + 8 * stage, kBytes);
      tw::ptx::bulk_load(base + stage * kBytes, from + static_cast<long long>(chunk) * kBytes,
                         kBytes, full + 8 * stage);
    }
  }
  for (int piece = issued < kStages ? 0 : issued - kStages; piece < issued; ++piece) {
    wait_for(piece);
  }
  if (blockIdx.x == 0) *clocks = clock64() - start;
}

/// One thread times dependent loads from each of `count` lines of 128 bytes, after a load that
/// brings the line to L2. `clocks`: of kLoads loads. `zero` is 0, hidden from the compiler.
extern "C" __global__ void time_lines(const unsigned* data, int count, unsigned zero,
                                      unsigned* clocks) {
  constexpr int kLoads = 8;
  for (int line = 0; line < count; ++line) {
    const unsigned* const address = data + line * 32;
    unsigned offset = tw::ptx::load_l2(address) & zero;
    unsigned best = ~0u;
    for (int r = 0; r < 3; ++r) {
      tw::ptx::compiler_barrier(offset);
      const unsigned start = clock();
#pragma unroll
      for (int i = 0; i < kLoads; ++i) offset = tw::ptx::load_l2(address + offset) & zero;
      tw::ptx::compiler_barrier(offset);
      const unsigned time = clock() - start + offset;
      best = time < best ? time : best;
    }
    clocks[line] = best;
  }
}

/// One thread follows `steps` dependent loads over a working set of 2^bits lines of 128 bytes, each
/// line at most once a round, from line `first` on. `zero` is 0, hidden from the compiler. `times`:
/// clocks, nanoseconds.
extern "C" __global__ void chase(const unsigned* data, int bits, int steps, unsigned first,
                                 unsigned zero, unsigned long long* times) {
  const unsigned mask = (1u << bits) - 1;
  unsigned at = first & mask;
  const unsigned long long start_ns = tw::ptx::global_time_ns();
  const long long start = clock64();
  for (int i = 0; i < steps; ++i) {
    const unsigned next = (at * 1664525u + 1013904223u) & mask;
    const unsigned v = tw::ptx::load_l2(data + static_cast<unsigned long long>(at) * 32);
    at = next + (v & zero);
  }
  const long long end = clock64();
  times[0] = static_cast<unsigned long long>(end - start) + (at == 0xFFFFFFFFu ? 1 : 0);
  times[1] = tw::ptx::global_time_ns() - start_ns;
}

/// Two warpgroups multiply 64x256x256 `rounds` times each, from four stages of random bf16 in
/// shared memory, without loads meanwhile. While one waits for its round, the other's runs.
/// `times`: clocks and nanoseconds of every CTA. 196608 bytes of dynamic shared memory.
extern "C" __global__ void __launch_bounds__(256, 1)
    issue_wgmma(int rounds, unsigned long long* times, float* sink) {
  constexpr unsigned kTileA = 64 * 128;
  constexpr unsigned kTileB = 256 * 128;
  constexpr unsigned kStage = 2 * kTileA + kTileB;
  constexpr int kStages = 4;
  extern __shared__ __align__(1024) unsigned char memory[];
  auto* const words = reinterpret_cast<unsigned*>(memory);
  for (unsigned i = threadIdx.x; i < kStages * kStage / 4; i += blockDim.x) {
    words[i] = random_pair(i + blockIdx.x * 1000003u);
  }
  tw::ptx::fence_shared_for_async();
  __syncthreads();
  const auto base = static_cast<unsigned>(__cvta_generic_to_shared(memory));
  const unsigned warpgroup = threadIdx.x / 128;
  float d[128];
  const unsigned long long start_ns = tw::ptx::global_time_ns();
  const long long start = clock64();
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
    tw::ptx::wgmma_fence();
#pragma unroll
    for (int i = 0; i < kStages; ++i) {
      const unsigned stage = base + i * kStage;
      const unsigned long long a = tw::ptx::wgmma_descriptor<>(stage + warpgroup * kTileA);
      const unsigned long long b = tw::ptx::wgmma_descriptor<>(stage + 2 * kTileA);
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        tw::ptx::Wgmma<256>::template multiply<tw::ElementType::BF16>(
            d, a + 2 * k, b + 2 * k, r == 0 && i == 0 && k == 0 ? 0 : 1);
      }
    }
    tw::ptx::wgmma_commit();
    tw::ptx::wgmma_wait<0>();
  }
  tw::ptx::wgmma_wait<0>();
  const long long end = clock64();
  if (threadIdx.x == 0) {
    times[2 * blockIdx.x] = static_cast<unsigned long long>(end - start);
    times[2 * blockIdx.x + 1] = tw::ptx::global_time_ns() - start_ns;
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 128; ++i) sum += d[i];
  if (sum == 1.2345f) *sink = sum;
}
