// Stores of D from the registers: for a D that TMA cannot store, and for summed parts.
#pragma once

#include "ptx/compiler.cuh"
#include "sm90/gated.cuh"
#include "sm90/triangle_tile.cuh"

namespace tw {

/// True where two elements from `d` on may be written by one store.
template <class Element>
__device__ bool is_pair(const Element* d) {
  return reinterpret_cast<unsigned long long>(d) % (2 * sizeof(Element)) == 0;
}

/// Writes two neighbours of a tile row at `at` of D, `stride` elements apart; the second only if
/// `both`.
template <Sm90Params P>
__device__ void write_pair(const GemmArgs& args, long long at, long long stride, bool both,
                           float low, float high) {
  if constexpr (P.output == ElementType::F32) {
    float* const d = static_cast<float*>(args.d) + at;
    if (both && stride == 1 && is_pair(d)) {
      *reinterpret_cast<float2*>(d) = make_float2(low, high);
      return;
    }
    d[0] = low;
    if (both) d[stride] = high;
  } else if constexpr (P.output == ElementType::E4M3) {
    unsigned char* const d = static_cast<unsigned char*>(args.d) + at;
    const unsigned short pair = ptx::pack_e4m3(low, high);
    if (both && stride == 1 && is_pair(d)) {
      *reinterpret_cast<unsigned short*>(d) = pair;
      return;
    }
    d[0] = static_cast<unsigned char>(pair);
    if (both) d[stride] = static_cast<unsigned char>(pair >> 8);
  } else {
    unsigned short* const d = static_cast<unsigned short*>(args.d) + at;
    if (both && stride == 1 && is_pair(d)) {
      *reinterpret_cast<unsigned*>(d) = ptx::pack<P.output>(low, high);
      return;
    }
    d[0] = ptx::from_float<P.output>(low);
    if (both) d[stride] = ptx::from_float<P.output>(high);
  }
}

/// Writes 64 rows of one wgmma's columns from the registers; kMirror: to the other triangle.
template <Sm90Params P, bool kMirror = false>
__device__ void write_block(const GemmArgs& args, int first_row, int first_column, int thread,
                            const float* sums) {
  if constexpr (P.epilogue.gated()) {
    return write_gated_block<P>(args, first_row, first_column, thread, sums);
  }
  constexpr bool kSwapAb = P.swap_ab || kMirror;
  const long long stride = kSwapAb ? args.ldd : 1;
  LoadedBias<P, kBiasBatch> bias;
  TileMaximum<P> most;
  const int first = first_column + thread % 4 * 2;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = first_row + thread / 32 * 16 + thread % 32 / 4 + 8 * half;
    if (row >= args.m) continue;
    long long at = output_offset<P, kSwapAb>(args, row, first);
#pragma unroll
    for (int j = 0; j < P.mma_n() / 8; ++j) {
      const int column = first + j * 8;
      if (column >= args.n) break;
      const float* const pair = sums + 4 * j + 2 * half;
      ptx::compiler_barrier();  // all loads at once would take all registers
      if (j % (kBiasBatch / 8) == 0) bias.load(args, row - 8 * half, column);
      const bool both = column + 1 < args.n;
      const auto value = [&](int side) {
        const LoadedOperands<P, kBiasBatch> operands{
            {args, row, column + side}, bias, j % (kBiasBatch / 8), side, half};
        const float activated = apply_epilogue<P>(args, pair[side], row, column + side, operands);
        return mirrored<P, kMirror>(args,
                                    finish_element<P>(args, activated, row, column + side, most));
      };
      const float low = value(0);
      const float high = value(1);
      if constexpr (P.triangular()) {
        const Coverage coverage = coverage_of<P>(row, column, 1, both ? 2 : 1);
        const int skipped = is_in_output(P.op, P.uplo, row, column) ? 0 : 1;
        if (coverage != Coverage::None) {
          write_pair<P>(args, at + skipped * stride, stride, both && coverage == Coverage::Full,
                        skipped > 0 ? high : low, high);
        }
      } else {
        write_pair<P>(args, at, stride, both, low, high);
      }
      at += 8 * stride;
    }
  }
  most.publish_of_warp(args.epilogue);
}

/// Finishes and writes a thread's 4 elements of chunk `chunk` (sm90/partials.cuh) of a warpgroup's
/// rows: columns 2 (lane % 4) + {0, 1} of two rows.
template <Sm90Params P>
__device__ void write_chunk(const GemmArgs& args, int first_row, int first_column, int chunk,
                            int thread, const float (&sums)[4]) {
  constexpr int kChunksOfBlock = P.cta_n / 8;
  const int lane = thread % 32;
  const int upper =
      first_row + chunk / kChunksOfBlock * Sm90Params::kMmaM + thread / 32 * 16 + lane / 4;
  const int column = first_column + chunk % kChunksOfBlock * 8 + lane % 4 * 2;
  if constexpr (P.epilogue.gated()) return write_gated_chunk<P>(args, upper, column, sums);
  if (column >= args.n) return;
  TileMaximum<P> most;
  for (int half = 0; half < 2; ++half) {
    const int row = upper + 8 * half;
    if (row >= args.m) break;
    const auto value = [&](int side) {
      const float activated = apply_epilogue<P>(args, sums[2 * half + side], row, column + side,
                                                ElementOperands<P>{args, row, column + side});
      return finish_element<P>(args, activated, row, column + side, most);
    };
    write_pair<P>(args, output_offset<P>(args, row, column), P.swap_ab ? args.ldd : 1,
                  column + 1 < args.n, value(0), value(1));
  }
  most.publish(args.epilogue);
}

}  // namespace tw
