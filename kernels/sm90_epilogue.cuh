// The consumers' epilogue: accumulators -> alpha, beta -> 16-bit -> swizzled shared memory -> TMA
// store.
//
// A warpgroup stores its rows in pieces of 64 x store_columns through two buffers: one is filled
// while the other drains, and the last stores overlap with the next tile's main loop.
#pragma once

#include "gemm_args.cuh"
#include "ptx/convert.cuh"
#include "sm90_mainloop.cuh"

namespace tw {

/// Shared-memory offset of byte `offset` in a store buffer: the TMA swizzle whose span is a buffer
/// row.
template <TileParams P>
__device__ unsigned swizzled(unsigned offset) {
  constexpr unsigned kSpan = P.store_columns() * TileParams::kElementBytes;  // 128, 64 or 32
  constexpr unsigned kMask = (kSpan / 16 - 1) << 7;
  return offset ^ ((offset & kMask) >> 3);
}

/// Adds beta * C to the two columns (of one row) that a thread holds; outside of C it adds nothing.
template <TileParams P>
__device__ void add_source(const GemmArgs& args, int row, int column, float& low, float& high) {
  if (row >= args.m || column >= args.n) return;
  const unsigned short* const c = args.c + row * args.ldc + column;
  low += args.beta * ptx::to_float<P.element>(c[0]);
  if (column + 1 < args.n) high += args.beta * ptx::to_float<P.element>(c[1]);
}

/// Scales the 4 accumulators of 8 columns and packs them: rows lane / 4 and lane / 4 + 8.
template <TileParams P>
__device__ void finish_columns(const GemmArgs& args, const float* sums, int row, int column,
                               unsigned (&packed)[2]) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float low = args.alpha * sums[2 * half];
    float high = args.alpha * sums[2 * half + 1];
    if constexpr (P.source) add_source<P>(args, row + 8 * half, column, low, high);
    packed[half] = ptx::pack<P.element>(low, high);
  }
}

/// Writes one 64 x store_columns piece of the accumulators into a store buffer.
template <TileParams P>
__device__ void fill_buffer(const GemmArgs& args, unsigned buffer, const float* sums, int thread,
                            int first_row, int first_column) {
  constexpr int kRowBytes = P.store_columns() * TileParams::kElementBytes;
  const int lane = thread % 32;
  const int warp_row = thread / 32 * 16;
  const int row = first_row + warp_row + lane / 4;
  // stmatrix: lanes 0-7 and 8-15 address rows 0-7 and 8-15 of the left 8 columns, 16-31 the right.
  const unsigned matrix_row = warp_row + lane % 16;
  const unsigned address = matrix_row * kRowBytes + lane / 16 * 16;
#pragma unroll
  for (int column = 0; column < P.store_columns(); column += 16) {
    unsigned left[2];
    unsigned right[2];
    const int c = first_column + column + lane % 4 * 2;
    finish_columns<P>(args, sums + column / 2, row, c, left);
    finish_columns<P>(args, sums + column / 2 + 4, row, c + 8, right);
    ptx::stmatrix_x4(buffer + swizzled<P>(address + column * TileParams::kElementBytes), left[0],
                     left[1], right[0], right[1]);
  }
}

/// Stores a warpgroup's rows of one tile, from output row `first_row` on.
template <TileParams P>
__device__ void store_tile(const SharedLayout<P>& shared, const ptx::TensorMap* d,
                           const GemmArgs& args, int first_row, int first_column, int warpgroup,
                           int thread, const Accumulators<P>& sums) {
  constexpr int kPieces = P.cta_n / P.store_columns();
  constexpr int kBuffers = TileParams::kStoreBuffers;
  const int barrier = 1 + warpgroup;
#pragma unroll
  for (int piece = 0; piece < P.mma_rows() * kPieces; ++piece) {
    const int block = piece / kPieces;
    const int i = piece % kPieces;
    const unsigned buffer = shared.store_buffer(warpgroup, piece % kBuffers);
    const int row = first_row + block * TileParams::kMmaM;
    const int column = first_column + i * P.store_columns();
    // The tile before may have ended on either buffer; its stores had a main loop to drain.
    if (thread == 0) {
      if (piece == 0) {
        ptx::tma_store_wait_read<0>();
      } else {
        ptx::tma_store_wait_read<kBuffers - 1>();
      }
    }
    ptx::warpgroup_sync(barrier);
    fill_buffer<P>(args, buffer, &sums[block][i * P.store_columns() / 2], thread, row, column);
    ptx::fence_shared_for_async();
    ptx::warpgroup_sync(barrier);
    if (thread == 0) {
      ptx::tma_store(d, buffer, column, row);
      ptx::tma_store_commit();
    }
  }
}

}  // namespace tw
