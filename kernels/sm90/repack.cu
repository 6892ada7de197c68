// Copies operands with rows that are no multiple of 16 bytes into rows that TMA can address.
// Compiled by NVRTC.

#include "sm90/args.cuh"

namespace {

constexpr int kChunk = 8;  // elements that a thread writes at once: 16 bytes

/// Words `Skip` to `Skip + 4` of the two aligned chunks, shifted down by half a word if `odd`.
template <int Skip>
__device__ uint4 shifted(uint4 low, uint4 high, bool odd) {
  const unsigned words[9] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w, 0};
  const unsigned bits = odd ? 16 : 0;
  return make_uint4(__funnelshift_r(words[Skip], words[Skip + 1], bits),
                    __funnelshift_r(words[Skip + 1], words[Skip + 2], bits),
                    __funnelshift_r(words[Skip + 2], words[Skip + 3], bits),
                    __funnelshift_r(words[Skip + 3], words[Skip + 4], bits));
}

/// Loads 8 elements from any element on, by reading the aligned chunks around them.
__device__ uint4 load_chunk(const unsigned short* from) {
  const auto address = reinterpret_cast<unsigned long long>(from);
  const auto* const aligned = reinterpret_cast<const uint4*>(address & ~15ULL);
  const auto skip = static_cast<unsigned>(address & 15) / 2;
  const uint4 low = __ldg(aligned);
  if (skip == 0) return low;
  const uint4 high = __ldg(aligned + 1);
  const bool odd = skip % 2 != 0;
  switch (skip / 2) {
    case 0: return shifted<0>(low, high, odd);
    case 1: return shifted<1>(low, high, odd);
    case 2: return shifted<2>(low, high, odd);
    default: return shifted<3>(low, high, odd);
  }
}

/// The same element by element, for the ends of rows: zeros from `count` on.
__device__ uint4 load_partly(const unsigned short* from, long long count) {
  unsigned words[kChunk / 2];
  for (int i = 0; i < kChunk / 2; ++i) {
    const unsigned low = 2 * i < count ? from[2 * i] : 0U;
    const unsigned high = 2 * i + 1 < count ? from[2 * i + 1] : 0U;
    words[i] = high << 16 | low;
  }
  return make_uint4(words[0], words[1], words[2], words[3]);
}

__device__ void copy(const tw::RepackMatrix& matrix) {
  const long long chunks = matrix.pitch / kChunk;
  const long long threads = static_cast<long long>(gridDim.x) * blockDim.x;
  const long long first = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (long long i = first; i < matrix.rows * chunks; i += threads) {
    const long long row = i / chunks;
    const long long column = i % chunks * kChunk;
    const unsigned short* const from = matrix.from + row * matrix.from_pitch + column;
    // The aligned chunks reach up to 7 elements past a chunk; they stay inside the matrix except at
    // the end of a row.
    const bool whole = column + 2 * kChunk <= matrix.columns;
    const uint4 chunk = whole ? load_chunk(from) : load_partly(from, matrix.columns - column);
    *reinterpret_cast<uint4*>(matrix.to + row * matrix.pitch + column) = chunk;
  }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(256) repack(const tw::RepackArgs args) {
  copy(args.matrices[0]);
  copy(args.matrices[1]);
}
