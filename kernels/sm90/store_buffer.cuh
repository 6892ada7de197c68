// The arrangement of D in the shared memory that TMA stores it from.
#pragma once

#include "sm90/params.cuh"

namespace tw {

/// Swizzled shared-memory offset of byte `offset` in a store buffer with rows of `RowBytes`: the
/// TMA swizzle that spans one row; tails are not swizzled.
template <int RowBytes>
__device__ unsigned swizzled(unsigned offset) {
  if constexpr (RowBytes != 128 && RowBytes != 64) return offset;
  constexpr unsigned kMask = (RowBytes / 16 - 1) << 7;
  return offset ^ ((offset & kMask) >> 3);
}

/// The shape in D of a piece of 64 tile rows x Columns: kLines rows of kLength elements; kMirror:
/// in the other triangle.
template <Sm90Params P, int Columns, bool kMirror>
struct PieceShape {
  static constexpr bool kSwapAb = P.swap_ab || kMirror;
  static constexpr int kSumColumnsPerOutput = P.epilogue.sum_columns_per_output();
  static constexpr int kLines = kSwapAb ? Columns : Sm90Params::kMmaM;
  static constexpr int kLength = (kSwapAb ? Sm90Params::kMmaM : Columns) / kSumColumnsPerOutput;
  static constexpr int kRowBytes = kLength * Sm90Params::kStoredBytes;

  /// Row (line) and column (place_in_line) of D for the piece at tile element (row, column).
  __device__ static int line(int row, int column) { return kSwapAb ? column : row; }
  __device__ static int place_in_line(int row, int column) {
    return (kSwapAb ? row : column) / kSumColumnsPerOutput;
  }
};

}  // namespace tw
