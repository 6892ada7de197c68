// How D lies in the shared memory that TMA stores it from.
#pragma once

#include "sm90/params.cuh"

namespace tw {

/// Shared-memory offset of byte `offset` in a store buffer of rows of `RowBytes`: the TMA swizzle
/// whose span is a row; tails are not swizzled.
template <int RowBytes>
__device__ unsigned swizzled(unsigned offset) {
  if constexpr (RowBytes != 128 && RowBytes != 64) return offset;
  constexpr unsigned kMask = (RowBytes / 16 - 1) << 7;
  return offset ^ ((offset & kMask) >> 3);
}

/// A piece of 64 tile rows x Columns as D has it: kLines rows of kLength elements; kMirror: for the
/// other triangle.
template <Sm90Params P, int Columns, bool kMirror>
struct PieceShape {
  static constexpr bool kSwapped = P.swapped || kMirror;
  static constexpr int kColumnsOfOne = P.epilogue.columns_of_one();
  static constexpr int kLines = kSwapped ? Columns : Sm90Params::kMmaM;
  static constexpr int kLength = (kSwapped ? Sm90Params::kMmaM : Columns) / kColumnsOfOne;
  static constexpr int kRowBytes = kLength * Sm90Params::kStoredBytes;

  /// Row and column of D where tile element (row, column) is the piece's first.
  __device__ static int line(int row, int column) { return kSwapped ? column : row; }
  __device__ static int place_in_line(int row, int column) {
    return (kSwapped ? row : column) / kColumnsOfOne;
  }
};

}  // namespace tw
