// The epilogue of the sm_80 family: sums go from registers straight to D, or through the workspace
// where a tile's k-blocks are divided.
#pragma once

#include "ptx/global_memory.cuh"
#include "sm80/args.cuh"
#include "sm80/mainloop.cuh"
#include "tools/finish.cuh"

namespace tw {

template <Sm80Params P>
inline constexpr FinishParams kFinish{P.element, P.output, P.epilogue};

/// Calls visit(row, column, low, high) for each pair of neighbouring columns of D that the thread
/// holds; pairs may lie outside D.
template <Sm80Params P, class Visit>
__device__ void for_each_pair(const WarpSums<P>& sums, int first_row, int first_column,
                              const Visit& visit) {
  const int lane = static_cast<int>(threadIdx.x) % Sm80Params::kWarpThreads;
#pragma unroll
  for (int i = 0; i < P.mma_rows(); ++i) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = first_row + i * Sm80Params::kMmaM + half * 8 + lane / 4;
#pragma unroll
      for (int j = 0; j < P.mma_columns(); ++j) {
        visit(row, first_column + j * Sm80Params::kMmaN + lane % 4 * 2, sums[i][j][2 * half],
              sums[i][j][2 * half + 1]);
      }
    }
  }
}

/// Stores the warp's part of D.
template <Sm80Params P>
__device__ void store_output(const Sm80Args& args, int first_row, int first_column,
                             const WarpSums<P>& sums) {
  constexpr FinishParams kF = kFinish<P>;
  const FinishArgs finish{args.epilogue, args.d, args.ldd, args.n};
  const bool pairs = pairs_aligned<kF>(finish);
  FinishMaximum<kF> most;
  for_each_pair<P>(sums, first_row, first_column, [&](int row, int column, float low, float high) {
    if (row >= args.m || column >= args.n) return;
    if constexpr (P.epilogue.gated()) return store_gated<kF>(finish, row, column, low, high, most);
    const long long at = row * args.ldd + column;
    const float first = finish_element<kF>(finish, low, row, column, most);
    if (column + 1 == args.n) return store_element<kF>(finish, at, first);
    const float second = finish_element<kF>(finish, high, row, column + 1, most);
    if (pairs) return store_pair<kF>(finish, at, first, second);
    store_element<kF>(finish, at, first);
    store_element<kF>(finish, at + 1, second);
  });
  most.publish_of_warp(args.epilogue);
}

/// Stores the warp's part of one slice's sums.
template <Sm80Params P>
__device__ void store_slice(const Sm80Args& args, int slice, int first_row, int first_column,
                            const WarpSums<P>& sums) {
  float* const own = args.partials + slice * args.slice_stride;
  const bool pairs = args.n % 2 == 0;
  for_each_pair<P>(sums, first_row, first_column, [&](int row, int column, float low, float high) {
    if (row >= args.m || column >= args.n) return;
    float* const at = own + static_cast<long long>(row) * args.n + column;
    if (pairs) {
      *reinterpret_cast<float2*>(at) = {low, high};
    } else {
      at[0] = low;
      if (column + 1 < args.n) at[1] = high;
    }
  });
}

/// The thread's partial sums of one tile in the workspace: 16 bytes each, neighbours side by side.
template <Sm80Params P>
__device__ float4* own_partials(const Sm80Args& args, int slot) {
  return reinterpret_cast<float4*>(args.partials) +
         static_cast<long long>(slot) * (P.cta_m * P.cta_n / kPartialVector) + threadIdx.x;
}

/// Adds the sums of the slices before this one, in order. Returns true for the last slice, which
/// then holds the tile's whole sums.
template <Sm80Params P>
__device__ bool pass_turnstile(const Sm80Args& args, int slot, int slice, WarpSums<P>& sums) {
  float4* const partials = own_partials<P>(args, slot);
  int* const counter = args.counters + slot;
  const bool last = slice + 1 == args.slices;
  if (slice > 0) {
    if (threadIdx.x == 0) {
      while (ptx::load_acquire(counter) != slice) {
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < P.mma_rows(); ++i) {
#pragma unroll
    for (int j = 0; j < P.mma_columns(); ++j) {
      float4* const at = partials + (i * P.mma_columns() + j) * P.threads();
      float(&s)[4] = sums[i][j];
      if (slice > 0) {
        const float4 before = ptx::load_partial(reinterpret_cast<const float*>(at));
        s[0] += before.x;
        s[1] += before.y;
        s[2] += before.z;
        s[3] += before.w;
      }
      if (!last) *at = {s[0], s[1], s[2], s[3]};
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) ptx::store_release(counter, last ? 0 : slice + 1);
  return last;
}

}  // namespace tw
