// The epilogue of gated kernels, per thread. Gate and up are neighbouring columns, which one thread
// holds. In a kernel with swap_ab they are neighbouring rows, held by lanes l and l + 4: the even
// row's lane computes D for the upper 8 rows, the odd row's lane for the lower 8.
#pragma once

#include "ptx/cluster.cuh"
#include "ptx/compiler.cuh"
#include "ptx/shared_access.cuh"
#include "sm90/element_operands.cuh"
#include "sm90/store_buffer.cuh"

namespace tw {

/// Position in D of the two elements that a thread computes from its 4 sums of 8 tile columns.
template <Sm90Params P>
struct GatedPlace {
  int row;  // of the first of the two elements
  int column;

  /// The thread holds the sums of tile rows `tile_row` and `tile_row` + 8 in columns `tile_column`
  /// and `tile_column` + 1.
  __device__ GatedPlace(int tile_row, int tile_column) {
    if constexpr (P.swap_ab) {
      row = tile_column;
      column = tile_row % 2 == 0 ? tile_row / 2 : (tile_row + 7) / 2;
    } else {
      row = tile_row;
      column = tile_column / 2;
    }
  }
  __device__ int row_of(int element) const { return row + element * (P.swap_ab ? 1 : 8); }
};

/// Computes two elements of D from 4 finished sums, by row and column; all lanes of the warp.
template <Sm90Params P>
__device__ void gate_four(const float (&four)[2][2], float (&made)[2]) {
  if constexpr (P.swap_ab) {
    const bool odd = threadIdx.x / 4 % 2 == 1;
#pragma unroll
    for (int side = 0; side < 2; ++side) {
      const float other = ptx::from_lane_xor(odd ? four[0][side] : four[1][side], 4);
      const float own = odd ? four[1][side] : four[0][side];
      made[side] = gated<P.epilogue>(odd ? other : own, odd ? own : other);
    }
  } else {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      made[half] = gated<P.epilogue>(four[half][0], four[half][1]);
    }
  }
}

/// Applies the epilogue to a thread's 4 sums, the first in tile row `row` and column `column`, and
/// gates them; operands_of(half, side) returns the epilogue's operands of each.
template <Sm90Params P, class OperandsOf>
__device__ void finish_gated(const GemmArgs& args, const float* sums, int row, int column,
                             const OperandsOf& operands_of, float (&made)[2]) {
  float four[2][2];
#pragma unroll
  for (int half = 0; half < 2; ++half) {
#pragma unroll
    for (int side = 0; side < 2; ++side) {
      four[half][side] = apply_epilogue<P>(args, sums[2 * half + side], row + 8 * half,
                                           column + side, operands_of(half, side));
    }
  }
  gate_four<P>(four, made);
}

/// Writes the two elements to D where they lie inside it.
template <Sm90Params P>
__device__ void write_gated(const GemmArgs& args, const GatedPlace<P>& place,
                            const float (&made)[2], TileMaximum<P>& most) {
  const int rows = P.swap_ab ? args.n : args.m;
  const int columns = (P.swap_ab ? args.m : args.n) / 2;
  if (place.column >= columns) return;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    if (place.row_of(i) >= rows) return;
    most.include(made[i]);
    static_cast<ptx::Bits<P.output>*>(args.d)[place.row_of(i) * args.ldd + place.column] =
        ptx::from_float<P.output>(scale_output<P.epilogue>(args.epilogue, made[i]));
  }
}

/// The two elements of D to store at `place`, inside D or not.
template <Sm90Params P>
__device__ void finish_made(const GemmArgs& args, const GatedPlace<P>& place, float (&made)[2],
                            TileMaximum<P>& most) {
  const int rows = P.swap_ab ? args.n : args.m;
  const int columns = (P.swap_ab ? args.m : args.n) / 2;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    if (place.column < columns && place.row_of(i) < rows) most.include(made[i]);
    made[i] = scale_output<P.epilogue>(args.epilogue, made[i]);
  }
}

/// Writes 64 rows of one wgmma's columns from the registers.
template <Sm90Params P>
__device__ void write_gated_block(const GemmArgs& args, int first_row, int first_column, int thread,
                                  const float* sums) {
  LoadedBias<P, kBiasBatch> bias;
  TileMaximum<P> most;
  const int row = first_row + thread / 32 * 16 + thread % 32 / 4;
#pragma unroll
  for (int j = 0; j < P.mma_n() / 8; ++j) {
    if (first_column + 8 * j >= args.n) break;
    const int column = first_column + 8 * j + thread % 4 * 2;
    ptx::compiler_barrier();  // all loads at once would take all registers
    if (j % (kBiasBatch / 8) == 0) bias.load(args, row, column);
    float made[2];
    finish_gated<P>(
        args, sums + 4 * j, row, column,
        [&](int half, int side) {
          return LoadedOperands<P, kBiasBatch>{
              {args, row + 8 * half, column + side}, bias, j % (kBiasBatch / 8), side, half};
        },
        made);
    write_gated<P>(args, {row, column}, made, most);
  }
  most.publish_of_warp(args.epilogue);
}

/// Finishes and writes the 4 elements of a chunk that write_chunk() passes on.
template <Sm90Params P>
__device__ void write_gated_chunk(const GemmArgs& args, int row, int column,
                                  const float (&sums)[4]) {
  float made[2];
  finish_gated<P>(
      args, sums, row, column,
      [&](int half, int side) {
        return ElementOperands<P>{args, row + 8 * half, column + side};
      },
      made);
  TileMaximum<P> most;
  write_gated<P>(args, {row, column}, made, most);
  most.publish(args.epilogue);
}

/// Writes one piece, 64 rows x Columns of the accumulators, into a store buffer with rows of
/// kRowBytes.
template <Sm90Params P, int Columns, int kRowBytes>
__device__ void fill_gated(const GemmArgs& args, unsigned buffer, const float* sums, int thread,
                           int first_row, int first_column, const LoadedBias<P, Columns>& bias) {
  const int row = thread / 32 * 16 + thread % 32 / 4;
  TileMaximum<P> most;
#pragma unroll
  for (int pair = 0; pair < Columns / 8; ++pair) {
    const int column = 8 * pair + thread % 4 * 2;
    float made[2];
    finish_gated<P>(
        args, sums + 4 * pair, first_row + row, first_column + column,
        [&](int half, int side) {
          return LoadedOperands<P, Columns>{
              {args, first_row + row + 8 * half, first_column + column + side},
              bias,
              pair,
              side,
              half};
        },
        made);
    if constexpr (P.epilogue.has_scaling()) {
      finish_made<P>(args, {first_row + row, first_column + column}, made, most);
    }
    const GatedPlace<P> place(row, column);
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const unsigned at = place.row_of(i) * kRowBytes + place.column * Sm90Params::kStoredBytes;
      ptx::st_shared(buffer + swizzled<kRowBytes>(at), ptx::from_float<P.output>(made[i]));
    }
  }
  most.publish_of_warp(args.epilogue);
}

}  // namespace tw
