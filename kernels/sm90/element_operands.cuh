// The operands of an element's epilogue, and the epilogue of one sum.
#pragma once

#include "ptx/convert.cuh"
#include "ptx/global_memory.cuh"
#include "sm90/args.cuh"
#include "sm90/params.cuh"
#include "tools/epilogue.cuh"

namespace tw {

/// Offset of tile element (row, column) in a matrix with rows `pitch` elements apart; kSwapAb: the
/// tile's rows are the matrix's columns.
template <bool kSwapAb>
__device__ long long element_offset(long long pitch, int row, int column) {
  return kSwapAb ? column * pitch + row : row * pitch + column;
}

/// The same in D.
template <Sm90Params P, bool kSwapAb = P.swap_ab>
__device__ long long output_offset(const GemmArgs& args, int row, int column) {
  return element_offset<kSwapAb>(args.ldd, row, column);
}

/// The value to store in the other triangle: for a Hermitian matrix the conjugate, without a
/// negative zero.
template <Sm90Params P, bool kMirror>
__device__ float mirrored(const GemmArgs& args, float value) {
  return kMirror && P.planes() > 1 && args.plane > 0 ? 0 - value : value;
}

/// The element of the bias for tile row or column `at` of `length`.
template <Sm90Params P>
__device__ int bias_element(int at, int length) {
  return P.epilogue.stacked && !P.epilogue.row_bias ? stacked_column(at, length) : at;
}

/// The operand's line at line `at` of D's `length`; outside of D, the last one. The lines of a
/// stacked operand take turns from its halves.
template <bool Stacked>
__device__ int operand_line(int at, int length) {
  const int inside = at < length ? at : length - 1;
  return Stacked ? stacked_column(inside, length) : inside;
}

/// The scale of a tile row, or of a tile column.
template <Sm90Params P>
__device__ float row_scale(const GemmArgs& args, int row) {
  const float* const scales = P.swap_ab ? args.epilogue.scale_b : args.epilogue.scale_a;
  return scales[operand_line<P.stacked_a()>(row, args.m)];
}
template <Sm90Params P>
__device__ float column_scale(const GemmArgs& args, int column) {
  const float* const scales = P.swap_ab ? args.epilogue.scale_a : args.epilogue.scale_b;
  return scales[operand_line<P.stacked_b()>(column, args.n)];
}

/// Elements between two rows of C.
template <Sm90Params P>
__device__ long long pitch_of_c(const GemmArgs& args) {
  return P.epilogue.has_scaling() ? args.ldd : args.epilogue.ldc;
}

/// The address of C at tile row `row` and column `column`.
template <Sm90Params P>
__device__ const unsigned short* c_element(const GemmArgs& args, int row, int column) {
  return args.epilogue.c + element_offset<P.swap_ab>(pitch_of_c<P>(args), row, column);
}

/// Begins to bring a warpgroup's part of C into L2: its rows from `first_row` on, and all columns
/// of the tile. The epilogue would wait for memory once for each piece that it stores.
template <Sm90Params P>
__device__ void prefetch_c(const GemmArgs& args, int first_row, int first_column, int thread) {
  constexpr int kLine = 64;  // elements of 128 bytes
  constexpr int kRows = P.warpgroup_rows();
  constexpr int kLines = P.swap_ab ? kRows / kLine : (P.cta_n + kLine - 1) / kLine;
  constexpr int kAcross = P.swap_ab ? P.cta_n : kRows;
  if (args.epilogue.beta == 0) return;
  for (int i = thread; i < kAcross * kLines; i += Sm90Params::kWarpgroupThreads) {
    const int along = i / kAcross * kLine;
    const int across = i % kAcross;
    const int row = first_row + (P.swap_ab ? along : across);
    const int column = first_column + (P.swap_ab ? across : along);
    if (row < args.m && column < args.n) ptx::prefetch_l2(c_element<P>(args, row, column));
  }
}

/// Reads the epilogue's operands of the element at tile row `row` and column `column` from memory;
/// zeros outside of D.
template <Sm90Params P>
struct ElementOperands {
  const GemmArgs& args;
  int row;
  int column;

  __device__ float c() const {
    if (row >= args.m || column >= args.n) return 0.0F;
    return ptx::to_float<P.addend()>(*c_element<P>(args, row, column));
  }
  __device__ float bias() const {
    const int at = P.bias_along_rows() ? row : column;
    const int length = P.bias_along_rows() ? args.m : args.n;
    if (at >= length) return 0.0F;
    return ptx::to_float<P.addend()>(args.epilogue.bias[bias_element<P>(at, length)]);
  }
  /// The product of the scales of its row and column, in kernels with Sm90Params::scales_lines().
  __device__ float scale() const { return row_scale<P>(args, row) * column_scale<P>(args, column); }
};

/// A thread's scales by rows and columns for 64 tile rows x Columns; empty in kernels without.
template <Sm90Params P, int Columns>
struct LoadedScales {
  static constexpr int kColumns = P.scales_lines() ? Columns / 4 : 1;

  float rows[2];
  float columns[kColumns];

  __device__ void load(const GemmArgs& args, int row, int column) {
    if constexpr (P.scales_lines()) {
#pragma unroll
      for (int half = 0; half < 2; ++half) rows[half] = row_scale<P>(args, row + 8 * half);
#pragma unroll
      for (int i = 0; i < kColumns; ++i) {
        columns[i] = column_scale<P>(args, column + i / 2 * 8 + i % 2);
      }
    }
  }
};

/// A thread's bias values for 64 tile rows x Columns. The thread issues all loads before it uses
/// one. If the bias runs along tile columns (that of D's columns, or with swap_ab that of its
/// rows), it holds a pair of columns out of every 8, and adds each to both of its rows; if along
/// tile rows, the values of its two rows, unless the kernel reads C: there are not enough registers
/// for both. It is empty where the kernel has no bias. Scales by rows and columns are
/// loaded with it.
template <Sm90Params P, int Columns>
struct LoadedBias {
  static constexpr bool kOfColumns = P.bias_along_columns();
  static constexpr bool kOfRows = P.bias_along_rows() && !P.epilogue.scaled;
  static constexpr int kPairs = Columns / 8;

  unsigned pairs[kOfColumns ? kPairs : 1];
  float rows[2];
  LoadedScales<P, Columns> scales;

  /// Loads from the thread's first row and column on; zeros outside of D.
  __device__ void load(const GemmArgs& args, int row, int column) {
    scales.load(args, row, column);
    if constexpr (kOfColumns) load_pairs(args.epilogue.bias, column, args.n);
    if constexpr (kOfRows) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        rows[half] = ElementOperands<P>{args, row + 8 * half, column}.bias();
      }
    }
  }

  /// The bias of the left (`side` 0) or right column of pair `pair`, in the thread's upper (`half`
  /// 0) or lower row.
  __device__ float value(int pair, int side, int half) const {
    if constexpr (P.bias_along_rows()) {
      return rows[half];
    } else {
      const unsigned both = pairs[pair];
      return ptx::to_float<P.addend()>(static_cast<unsigned short>(side == 0 ? both : both >> 16));
    }
  }

 private:
  __device__ void load_pairs(const unsigned short* from, int first, int length) {
    constexpr bool kInTurn = P.epilogue.stacked && !P.epilogue.row_bias;
    const bool whole = !kInTurn && first + Columns <= length &&
                       reinterpret_cast<unsigned long long>(from) % sizeof(unsigned) == 0;
    if (whole) {
#pragma unroll
      for (int pair = 0; pair < kPairs; ++pair) {
        pairs[pair] = *reinterpret_cast<const unsigned*>(from + first + 8 * pair);
      }
      return;
    }
#pragma unroll
    for (int pair = 0; pair < kPairs; ++pair) {
      const int column = first + 8 * pair;
      const unsigned low = column < length ? from[bias_element<P>(column, length)] : 0;
      const unsigned high = column + 1 < length ? from[bias_element<P>(column + 1, length)] : 0;
      pairs[pair] = high << 16 | low;
    }
  }
};

/// C at a thread's elements of 64 tile rows x Columns; empty without loads_c() and stages_c(). The
/// thread issues all loads before it uses one.
template <Sm90Params P, int Columns>
struct LoadedC {
  static constexpr int kPairs = P.loads_c() || P.stages_c() ? Columns / 8 : 1;

  unsigned pairs[2][kPairs];  // by rows; a pair of columns out of every 8

  /// Loads from the thread's first row and column on; outside of D, elements of its last lines.
  __device__ void load(const GemmArgs& args, int row, int column) {
    if constexpr (P.loads_c()) {
      if (args.epilogue.beta == 0) return;
      const unsigned short* const first = c_element<P>(args, row, column);
      const long long next = c_element<P>(args, 8, 0) - args.epilogue.c;
      const bool inside = row + 8 < args.m && column + 8 * (kPairs - 1) + 1 < args.n;
      if (!P.swap_ab && inside && next % 2 == 0 &&
          reinterpret_cast<unsigned long long>(first) % sizeof(unsigned) == 0) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
#pragma unroll
          for (int pair = 0; pair < kPairs; ++pair) {
            pairs[half][pair] = *reinterpret_cast<const unsigned*>(first + half * next + 8 * pair);
          }
        }
        return;
      }
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int r = min(row + 8 * half, args.m - 1);
#pragma unroll
        for (int pair = 0; pair < kPairs; ++pair) {
          const unsigned low = *c_element<P>(args, r, min(column + 8 * pair, args.n - 1));
          const unsigned high = *c_element<P>(args, r, min(column + 8 * pair + 1, args.n - 1));
          pairs[half][pair] = high << 16 | low;
        }
      }
    }
  }

  /// Reads 16 tile columns, or the last 8, from a store buffer, where all lanes of the warp may
  /// write then; `shared` is the lane's address of stmatrix_x4() or stmatrix_x2() there.
  __device__ void read(unsigned shared, bool last) {
    if constexpr (P.stages_c()) {
      if (last) {
        ptx::ldmatrix_x2<P.swap_ab>(shared, pairs[0][0], pairs[1][0]);
      } else {
        ptx::ldmatrix_x4<P.swap_ab>(shared, pairs[0][0], pairs[1][0], pairs[0][1], pairs[1][1]);
      }
      __syncwarp();
    }
  }

  __device__ float value(int pair, int side, int half) const {
    const unsigned both = pairs[half][pair];
    return ptx::to_float<P.addend()>(static_cast<unsigned short>(side == 0 ? both : both >> 16));
  }
};

/// Tile columns of bias that a thread loads at once when it writes D from its registers.
inline constexpr int kBiasBatch = 64;

/// Operands of an element's epilogue: C from memory, and the bias that the thread has loaded.
template <Sm90Params P, int Columns>
struct LoadedOperands {
  ElementOperands<P> element;
  const LoadedBias<P, Columns>& loaded;
  int pair;
  int side;
  int half;

  __device__ float c() const { return element.c(); }
  __device__ float bias() const {
    if constexpr (P.bias_along_rows() && P.epilogue.scaled) return element.bias();
    return loaded.value(pair, side, half);
  }
  __device__ float scale() const {
    return loaded.scales.rows[half] * loaded.scales.columns[2 * pair + side];
  }
};

/// The same with C that the thread has loaded.
template <Sm90Params P, int Columns, int OfC>
struct PieceOperands : LoadedOperands<P, Columns> {
  const LoadedC<P, OfC>& of_c;
  int pair_of_c;

  __device__ float c() const {
    if constexpr (P.loads_c() || P.stages_c()) {
      return of_c.value(pair_of_c, this->side, this->half);
    }
    return this->element.c();
  }
};

template <Sm90Params P>
using TileMaximum = AbsoluteMaximum<P.epilogue>;

/// The element of D for an activated value at tile row `row` and column `column`; `most` includes
/// the value if it lies inside D.
template <Sm90Params P>
__device__ float finish_element(const GemmArgs& args, float value, int row, int column,
                                TileMaximum<P>& most) {
  if (row < args.m && column < args.n) most.include(value);
  return scale_output<P.epilogue>(args.epilogue, value);
}

/// The epilogue of a sum; only the multiplications where the sum is `added` to D. Outside of D the
/// result is arbitrary.
template <Sm90Params P, class Operands>
__device__ float apply_epilogue(const GemmArgs& args, float sum, int row, int column,
                                const Operands& operands, bool added = false) {
  const EpilogueArgs& e = args.epilogue;
  // Ping-pong hides the multiplication, and ptxas spills a register or two without it.
  float value = apply_scales<P.epilogue, P.ping_pong()>(e, sum);
  if constexpr (P.scales_lines()) value *= operands.scale();
  if (added) return value;
  // A Hermitian matrix has a real diagonal.
  if (P.planes() > 1 && args.plane > 0 && row == column) return 0;
  return apply_epilogue<P.epilogue>(e, value, operands);
}

}  // namespace tw
