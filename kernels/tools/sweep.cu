// Passes over a known number of bytes: each 16-byte vector is read, or written, exactly once,
// bypassing L1. Reading more than L2 holds evicts what was in it.

#include "ptx/global_memory.cuh"

/// Reads `count` vectors.
extern "C" __global__ void __launch_bounds__(256)
    read_once(const uint4* from, long long count, unsigned* sink) {
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  unsigned mixed = 0;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    const uint4 v = tw::ptx::load_l2(from + i);
    mixed ^= v.x ^ v.y ^ v.z ^ v.w;
  }
  if (mixed == 0x9E3779B9u) *sink = mixed;
}

/// Writes `count` different vectors.
extern "C" __global__ void __launch_bounds__(256)
    fill_once(uint4* to, long long count, unsigned seed) {
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    const auto low = static_cast<unsigned>(i);
    to[i] = {low * 2654435761u + seed, low ^ seed, low * 40503u, seed - low};
  }
}

/// Copies `count` vectors.
extern "C" __global__ void __launch_bounds__(256)
    copy_once(const uint4* from, uint4* to, long long count) {
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    to[i] = tw::ptx::load_l2(from + i);
  }
}
