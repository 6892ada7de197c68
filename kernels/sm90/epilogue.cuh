// The consumers' epilogue: accumulators -> tools/epilogue.cuh -> the output type -> D.
//
// D passes through shared memory where TMA can store it: a warpgroup stores its rows in pieces of
// 64 rows x store_columns through two buffers. One is filled while the other drains, and the last
// stores overlap with the next tile's main loop. In a kernel with swap_ab a piece is transposed on
// its way: its columns become rows of D. Any other D (fp32, rows that are no multiple of 16 bytes)
// is written from the registers.
#pragma once

#include "ptx/compiler.cuh"
#include "ptx/convert.cuh"
#include "ptx/cp_async.cuh"
#include "ptx/shared_access.cuh"
#include "sm90/args.cuh"
#include "sm90/direct_store.cuh"
#include "sm90/mainloop.cuh"

namespace tw {

/// TMA descriptors of D for whole pieces and for the narrower last ones.
struct OutputMaps {
  const ptx::TensorMap* piece;
  const ptx::TensorMap* tail;
};

/// Applies the epilogue to the thread's 4 accumulators of 8 columns, rows lane / 4 and lane / 4 +
/// 8, and packs them. `pair` is their index in the bias, `pair_of_c` in C.
template <Sm90Params P, bool kMirror, int Columns, int OfC>
__device__ void finish_columns(const GemmArgs& args, const float* sums, int row, int column,
                               const LoadedBias<P, Columns>& bias, int pair,
                               const LoadedC<P, OfC>& of_c, int pair_of_c, bool added,
                               TileMaximum<P>& most, unsigned (&packed)[2]) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int r = row + 8 * half;
    const auto value = [&](int side) {
      const PieceOperands<P, Columns, OfC> operands{
          {{args, r, column + side}, bias, pair, side, half}, of_c, pair_of_c};
      const float activated =
          apply_epilogue<P>(args, sums[2 * half + side], r, column + side, operands, added);
      return mirrored<P, kMirror>(args, finish_element<P>(args, activated, r, column + side, most));
    };
    const float left = value(0);
    const float right = value(1);
    packed[half] = ptx::pack<P.output>(left, right);
  }
}

/// Writes one piece, 64 rows x Columns of the accumulators, into a store buffer: row by row, or
/// column by column in a kernel with swap_ab and in a mirrored store.
template <Sm90Params P, int Columns, bool kMirror>
__device__ void fill_buffer(const GemmArgs& args, unsigned buffer, const float* sums, int thread,
                            int first_row, int first_column, const LoadedBias<P, Columns>& bias,
                            bool added) {
  constexpr bool kSwapAb = P.swap_ab || kMirror;
  constexpr int kRowBytes = PieceShape<P, Columns, kMirror>::kRowBytes;
  const int lane = thread % 32;
  const int warp_row = thread / 32 * 16;
  const int row = first_row + warp_row + lane / 4;
  // stmatrix takes the 8x8 matrices in the order of the registers: rows 0-7 and 8-15 of the left 8
  // columns, then of the right; lanes 8 i to 8 i + 7 address the lines of matrix i.
  const int line = kSwapAb ? lane / 16 * 8 + lane % 8 : warp_row + lane % 16;
  const int chunk = kSwapAb ? warp_row + lane / 8 % 2 * 8 : lane / 16 * 8;
  const unsigned address = line * kRowBytes + chunk * 2;
  constexpr int kColumnBytes = kSwapAb ? kRowBytes : 2;
  constexpr int kLoaded = Columns < P.kMaxColumnsOfC ? Columns : P.kMaxColumnsOfC;
  constexpr int kOfC = P.stages_c() ? 16 : kLoaded;
  LoadedC<P, kOfC> of_c;
  TileMaximum<P> most;
#pragma unroll
  for (int column = 0; column < Columns; column += 16) {
    unsigned left[2];
    unsigned right[2];
    const int c = first_column + column + lane % 4 * 2;
    const int pair = column % kOfC / 8;
    const bool last = column + 8 >= Columns;
    const unsigned to = buffer + swizzled<kRowBytes>(address + column * kColumnBytes);
    if constexpr (P.stages_c()) {
      of_c.read(to, last);
    } else {
      if (pair == 0 && !added) of_c.load(args, row, c);
    }
    finish_columns<P, kMirror>(args, sums + column / 2, row, c, bias, column / 8, of_c, pair, added,
                               most, left);
    if (!last) {
      finish_columns<P, kMirror>(args, sums + column / 2 + 4, row, c + 8, bias, column / 8 + 1,
                                 of_c, pair + 1, added, most, right);
    }
    if (!last) {
      ptx::stmatrix_x4<kSwapAb>(to, left[0], left[1], right[0], right[1]);
    } else {
      ptx::stmatrix_x2<kSwapAb>(to, left[0], left[1]);
    }
  }
  most.publish_of_warp(args.epilogue);
}

/// A warpgroup's position in the stores of one tile.
template <Sm90Params P>
struct StoreState {
  static constexpr int kPieces = P.store_pieces() * P.mma_rows() * P.mma_tiles_n();
  static constexpr int kReused = P.reused_buffers();
  static constexpr int kOwn = Sm90Params::kStoreBuffers;

  int warpgroup;
  int thread;
  unsigned rank;           // of the CTA in the cluster
  int first_row;           // of the warpgroup in the tile
  PipelineState<P> after;  // the stage after the tile's last
  bool adding = false;     // to D, with Reduction::InPlace
  bool early_c = false;    // copy_first_c() has begun to copy C
  int row_before = 0;      // row of D where the unit's problem begins in a group

  /// The reused buffers are used first, so that their stages are free again as early as possible.
  __device__ unsigned buffer(const SharedLayout<P>& shared, int piece) const {
    if (piece >= kReused) return shared.store_buffer(warpgroup, (piece - kReused) % kOwn);
    constexpr int kBlockBytes = Sm90Params::kMmaM * 128;
    const int stage = stage_before(after, 1 + piece / P.mma_rows());
    return shared.a_tile(stage) + first_row * 128 + piece % P.mma_rows() * kBlockBytes;
  }

  /// True where copy_first_c() has begun to copy the piece's C.
  __device__ bool has_c(int piece) const {
    return early_c && piece >= kReused && piece < kReused + kOwn;
  }

  /// Called by the thread that stores: waits until TMA has read the piece's buffer.
  __device__ void wait_for_buffer(int piece) const {
    if (piece == kReused) {
      // The previous tile may have ended on either buffer; its stores drained during a main loop.
      ptx::tma_store_wait_read<kReused>();
    } else if (piece >= kReused + kOwn) {
      ptx::tma_store_wait_read<kOwn - 1>();
    }
  }

  /// Called after a piece's store: releases the reused stages once TMA has read them.
  __device__ void release(const SharedLayout<P>& shared, int piece) const {
    constexpr int kReleasedAt = kPieces - 1 < kReused + kOwn ? kPieces - 1 : kReused + kOwn;
    if (kReused == 0 || piece != kReleasedAt) return;
    ptx::tma_store_wait_read<kReleasedAt + 1 - kReused>();
    for (int reused = P.stages_reused; reused > 0; --reused) {
      release_stage_alone(shared, stage_before(after, reused), rank);
    }
  }
};

/// Writes those elements of 8 neighbours in a row of D that are in its triangle. `row` and `column`
/// are the first one's in the tile; the next one is in the next tile row where kSwapAb.
template <Sm90Params P, bool kSwapAb>
__device__ void write_in_triangle(unsigned short* d, int row, int column,
                                  const ptx::Floats4& eight) {
  const float words[4] = {eight.x, eight.y, eight.z, eight.w};
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    if (!is_in_output(P.op, P.uplo, kSwapAb ? row + i : row, kSwapAb ? column : column + i))
      continue;
    d[i] = static_cast<unsigned short>(__float_as_uint(words[i / 2]) >> (i % 2 * 16));
  }
}

/// Writes a piece's lines from its buffer, 16 bytes per thread and iteration, where TMA may not
/// store the whole piece: only the lines of the unit's problem (the next problem's rows follow
/// them), or only the elements of the triangle. `row` and `column` are the problem's.
template <Sm90Params P, int Columns, bool kMirror>
__device__ void copy_lines(const GemmArgs& args, unsigned buffer, int row, int column, int thread) {
  using Shape = PieceShape<P, Columns, kMirror>;
  constexpr bool kSwapAb = Shape::kSwapAb;
  constexpr int kRowBytes = Shape::kRowBytes;
  constexpr int kChunks = kRowBytes / 16;  // of a line
  constexpr int kChunk = 8;                // elements
  const int lines = kSwapAb ? args.n - column : args.m - row;
  const int length = (kSwapAb ? args.m - row : args.n - column) / Shape::kSumColumnsPerOutput;
  auto* const d = static_cast<unsigned short*>(args.d) + Shape::line(row, column) * args.ldd +
                  Shape::place_in_line(row, column);
#pragma unroll 1  // rarely executed, and every piece has a copy of it
  for (int i = thread; i < Shape::kLines * kChunks; i += Sm90Params::kWarpgroupThreads) {
    const int line = i / kChunks;
    const int element = i % kChunks * kChunk;
    if (line >= lines || element >= length) continue;
    const ptx::Floats4 four =
        ptx::ld_shared_v4(buffer + swizzled<kRowBytes>(line * kRowBytes + element * 2));
    if constexpr (P.triangular()) {
      const int r = row + (kSwapAb ? element : line);
      const int c = column + (kSwapAb ? line : element);
      const Coverage coverage = coverage_of<P>(r, c, kSwapAb ? kChunk : 1, kSwapAb ? 1 : kChunk);
      if (coverage == Coverage::Partial) {
        write_in_triangle<P, kSwapAb>(d + line * args.ldd + element, r, c, four);
      }
      if (coverage != Coverage::Full) continue;
    }
    *reinterpret_cast<float4*>(d + line * args.ldd + element) =
        make_float4(four.x, four.y, four.z, four.w);
  }
}

/// Begins to copy a piece's C to its store buffer, in the layout that D has there, and zeros for
/// elements outside of D. TMA must have read the buffer before.
template <Sm90Params P, int Columns>
__device__ void copy_c(const GemmArgs& args, unsigned buffer, int row, int column, int thread) {
  using Shape = PieceShape<P, Columns, false>;
  constexpr int kChunk = 8;  // elements of 16 bytes
  constexpr int kChunks = Shape::kLength / kChunk;
  if (args.epilogue.beta == 0) return;
  const int lines = P.swap_ab ? args.n - column : args.m - row;
  const int length = P.swap_ab ? args.m - row : args.n - column;
  const long long pitch = pitch_of_c<P>(args);
  const unsigned short* const first = c_element<P>(args, row, column);
  const bool aligned = (reinterpret_cast<unsigned long long>(first) | 2 * pitch) % 16 == 0;
#pragma unroll 1  // addresses of several copies would not fit in a ping-pong kernel's registers
  for (int i = thread; i < Shape::kLines * kChunks; i += Sm90Params::kWarpgroupThreads) {
    const int line = i / kChunks;
    const int element = i % kChunks * kChunk;
    const int inside = line < lines ? min(max(length - element, 0), kChunk) : 0;
    const unsigned short* const from = inside > 0 ? first + line * pitch + element : first;
    const unsigned to = buffer + swizzled<Shape::kRowBytes>(line * Shape::kRowBytes + element * 2);
    if (aligned) {
      ptx::copy_async<16>(to, from, 2 * inside);
    } else {
#pragma unroll 1  // rarely executed
      for (int e = 0; e < kChunk; ++e) {
        ptx::st_shared(to + 2 * e, e < inside ? from[e] : static_cast<unsigned short>(0));
      }
    }
  }
}

/// Begins to copy C of the pieces that a warpgroup stores first from its own buffers; their last
/// stores drain before.
template <Sm90Params P>
__device__ void copy_first_c(const SharedLayout<P>& shared, const GemmArgs& args, int first_row,
                             int first_column, const StoreState<P>& state) {
  constexpr int kWhole = P.mma_n() / P.store_columns;
  constexpr int kTail = P.tail_columns() > 0 ? P.tail_columns() : P.store_columns;
  constexpr int kFirst = StoreState<P>::kReused;
  if (state.thread == 0) ptx::tma_store_wait_read<0>();
  ptx::warpgroup_sync(1 + state.warpgroup);
#pragma unroll
  for (int piece = kFirst; piece < kFirst + StoreState<P>::kOwn; ++piece) {
    if (piece >= StoreState<P>::kPieces) break;
    const int block = piece / P.store_pieces();
    const int across = piece % P.store_pieces();
    const int row = first_row + block / P.mma_tiles_n() * Sm90Params::kMmaM;
    const int column =
        first_column + block % P.mma_tiles_n() * P.mma_n() + across * P.store_columns;
    const unsigned buffer = state.buffer(shared, piece);
    if (across < kWhole) {
      copy_c<P, P.store_columns>(args, buffer, row, column, state.thread);
    } else {
      copy_c<P, kTail>(args, buffer, row, column, state.thread);
    }
  }
}

/// Stores one piece by TMA once its buffer is free; kMirror: into the other triangle. A mirrored
/// piece goes by TMA only if it is 64 x 64: the maps' boxes have the shape of unmirrored pieces.
template <Sm90Params P, int Columns, bool kMirror = false>
__device__ void store_piece(const SharedLayout<P>& shared, const ptx::TensorMap* map,
                            const GemmArgs& args, int row, int column, const StoreState<P>& state,
                            int piece, const float* sums) {
  using Shape = PieceShape<P, Columns, kMirror>;
  constexpr bool kByTma = !kMirror || Columns == Sm90Params::kMmaM;
  const int barrier = 1 + state.warpgroup;
  const unsigned buffer = state.buffer(shared, piece);
  // The bias is loaded before the wait for the buffer, so that the two overlap.
  LoadedBias<P, Columns> bias;
  const int lane = state.thread % 32;
  bias.load(args, row + state.thread / 32 * 16 + lane / 4, column + lane % 4 * 2);
  const bool adding = P.adds_in_place() && state.adding;
  const Coverage coverage = coverage_of<P>(row, column, Sm90Params::kMmaM, Columns);
  // Only this warpgroup has read the reused rows of A, but all of its threads must be done.
  if constexpr (P.stages_c()) {
    if (state.has_c(piece)) {
      ptx::copy_async_wait_all();
    } else if (state.thread == 0) {
      state.wait_for_buffer(piece);
    }
    ptx::warpgroup_sync(barrier);
    if (!state.has_c(piece) && !adding && coverage != Coverage::None) {
      copy_c<P, Columns>(args, buffer, row, column, state.thread);
      ptx::copy_async_wait_all();
      ptx::warpgroup_sync(barrier);
    }
  } else {
    if (state.thread == 0) state.wait_for_buffer(piece);
    ptx::warpgroup_sync(barrier);
  }
  if constexpr (P.epilogue.gated()) {
    fill_gated<P, Columns, Shape::kRowBytes>(args, buffer, sums, state.thread, row, column, bias);
  } else if (coverage != Coverage::None) {
    fill_buffer<P, Columns, kMirror>(args, buffer, sums, state.thread, row, column, bias, adding);
  }
  bool whole = kByTma && coverage == Coverage::Full;
  if constexpr (P.packed_rows() || P.triangular()) {
    if constexpr (P.packed_rows()) {
      whole = P.swap_ab ? column + Columns <= args.n : row + Sm90Params::kMmaM <= args.m;
    }
    if (!whole && coverage != Coverage::None) {
      ptx::warpgroup_sync(barrier);
      copy_lines<P, Columns, kMirror>(args, buffer, row, column, state.thread);
    }
  }
  ptx::fence_shared_for_async();
  ptx::warpgroup_sync(barrier);
  if (state.thread == 0) {
    const int x = Shape::place_in_line(row, column);
    const int y = Shape::line(row, column) + (P.packed_rows() ? state.row_before : 0);
    if ((P.packed_rows() || P.triangular()) && !whole) {
      // An empty group replaces the store, so that the count of buffers in use stays right.
    } else if (adding) {
      ptx::tma_reduce_add(map, buffer, x, y);
    } else {
      ptx::tma_store(map, buffer, x, y);
    }
    ptx::tma_store_commit();
    state.release(shared, piece);
  }
}

/// Stores a piece, and in a mirrored D stores it again in the other triangle.
template <Sm90Params P, int Columns>
__device__ void store_both(const SharedLayout<P>& shared, const ptx::TensorMap* map,
                           const GemmArgs& args, int row, int column, const StoreState<P>& state,
                           int piece, const float* sums) {
  if constexpr (P.mirrored) {
    store_piece<P, Columns>(shared, map, args, row, column, state, 2 * piece, sums);
    store_piece<P, Columns, true>(shared, map, args, row, column, state, 2 * piece + 1, sums);
  } else {
    store_piece<P, Columns>(shared, map, args, row, column, state, piece, sums);
  }
}

/// Stores a warpgroup's rows of one tile; their first element is (first_row, first_column) of D.
template <Sm90Params P>
__device__ void store_tile(const SharedLayout<P>& shared, const OutputMaps& maps,
                           const GemmArgs& args, int first_row, int first_column,
                           const StoreState<P>& state, const Accumulators<P>& sums) {
  constexpr int kWhole = P.mma_n() / P.store_columns;
#pragma unroll
  for (int i = 0; i < P.mma_rows() * P.mma_tiles_n(); ++i) {
    const int row = first_row + i / P.mma_tiles_n() * Sm90Params::kMmaM;
    const int column = first_column + i % P.mma_tiles_n() * P.mma_n();
    if constexpr (P.direct_store) {
      write_block<P>(args, row, column, state.thread, sums[i]);
      if constexpr (P.mirrored) write_block<P, true>(args, row, column, state.thread, sums[i]);
    } else {
#pragma unroll
      for (int piece = 0; piece < kWhole; ++piece) {
        store_both<P, P.store_columns>(
            shared, maps.piece, args, row, column + piece * P.store_columns, state,
            i * P.store_pieces() + piece, &sums[i][piece * P.store_columns / 2]);
      }
      if constexpr (P.tail_columns() > 0) {
        store_both<P, P.tail_columns()>(
            shared, maps.tail, args, row, column + kWhole * P.store_columns, state,
            i * P.store_pieces() + kWhole, &sums[i][kWhole * P.store_columns / 2]);
      }
    }
  }
}

}  // namespace tw
