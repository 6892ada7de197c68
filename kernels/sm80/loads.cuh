// Loads from global memory into a stage of shared memory, for any row length and any alignment.
//
// A copy is as wide as the alignment of the operand's rows allows: 16, 8 or 4 bytes with cp.async.
// Rows that start at odd elements pass through registers: two aligned 16-byte loads, shifted into
// one.
#pragma once

#include "ptx/cp_async.cuh"
#include "ptx/mma.cuh"
#include "sm80/params.cuh"

namespace tw {

/// One operand in global memory, and the lines (rows of A, columns of B) that a CTA needs: those
/// from `first_line` on. Lines are `k` long; rows of the contiguous dimension are `pitch` elements
/// apart.
struct OperandView {
  const unsigned short* data;
  int lines;
  int k;
  long long pitch;
  int first_line;
};

/// How a stage of one operand is copied.
struct CopyPlan {
  StageTile tile;
  int copy_bytes;
  bool is_k_major;
  int threads;
  bool is_stacked = false;  // lines in turn from either half (map/epilogue.cuh); k-major

  /// Elements that a thread writes to shared memory at once.
  constexpr int vector_elements() const { return copy_bytes == 2 ? 8 : copy_bytes / 2; }
  constexpr int row_vectors() const { return tile.row_length / vector_elements(); }
  constexpr int vectors() const { return tile.rows * row_vectors(); }
  constexpr int vectors_per_thread() const { return (vectors() + threads - 1) / threads; }
  constexpr bool ragged() const { return vectors() % threads != 0; }
};

/// The vectors that one thread copies: the first one's position, and the step to the next. Where
/// the threads cover whole rows, the column stays and everything else grows by constants.
template <CopyPlan C>
struct ThreadVectors {
  static constexpr bool kSameColumn = C.threads % C.row_vectors() == 0;
  static constexpr int kRowStep = C.threads / C.row_vectors();
  // True where all vectors of a thread also have the same swizzle.
  static constexpr bool kSameSwizzle =
      kSameColumn && kRowStep * C.tile.stride() % C.tile.period() == 0;

  int row;
  int column;
  unsigned offset;  // in the stage, bytes

  __device__ ThreadVectors()
      : row(static_cast<int>(threadIdx.x) / C.row_vectors()),
        column(static_cast<int>(threadIdx.x) % C.row_vectors() * C.vector_elements()),
        offset(Sm80Params::kElementBytes * C.tile.offset(row, column)) {}

  __device__ bool exists(int i) const {
    return !C.ragged() || static_cast<int>(threadIdx.x) + i * C.threads < C.vectors();
  }
  __device__ TilePlace place(int i) const {
    if constexpr (kSameColumn) return {row + i * kRowStep, column};
    const int index = static_cast<int>(threadIdx.x) + i * C.threads;
    return {index / C.row_vectors(), index % C.row_vectors() * C.vector_elements()};
  }
  __device__ unsigned shared(unsigned tile, int i) const {
    if constexpr (kSameSwizzle) {
      return tile + offset + Sm80Params::kElementBytes * i * kRowStep * C.tile.stride();
    }
    const TilePlace at = place(i);
    return tile + Sm80Params::kElementBytes * C.tile.offset(at.row, at.column);
  }
};

/// Walks the addresses of a thread's vectors of one stage in the operand, in order.
template <CopyPlan C>
struct StageWalk {
  const unsigned short* at;
  long long step;  // elements between vectors, where the column stays; of stacked lines the pitch
  int rows;        // of the stage that lie inside the operand
  int columns;
  int first_line;  // of stacked lines
  int lines;

  __device__ StageWalk(const OperandView& view, const ThreadVectors<C>& vectors, int first_k) {
    first_line = view.first_line;
    lines = view.lines;
    const int first_row = C.is_k_major ? view.first_line : first_k;
    const int first_column = C.is_k_major ? first_k : view.first_line;
    const int row_elements = C.is_k_major ? view.k : view.lines;
    rows = (C.is_k_major ? view.lines : view.k) - first_row;
    columns = row_elements - first_column;
    step = view.pitch;
    if constexpr (C.is_stacked) {
      at = view.data + first_column;
      return;
    }
    at = view.data + first_row * view.pitch + first_column;
    if constexpr (ThreadVectors<C>::kSameColumn) {
      at += vectors.row * step + vectors.column;
      step *= ThreadVectors<C>::kRowStep;
    }
  }
  /// Elements of the vector at `place` that lie inside the operand, 0 to C.vector_elements().
  __device__ int inside(TilePlace place) const {
    const int left = columns - place.column;
    if (place.row >= rows || left <= 0) return 0;
    return left < C.vector_elements() ? left : C.vector_elements();
  }
  /// The vector's first element. Call it once per vector, in order.
  __device__ const unsigned short* next(TilePlace place) {
    if constexpr (C.is_stacked) {
      return at + stacked_column(first_line + place.row, lines) * step + place.column;
    }
    if constexpr (!ThreadVectors<C>::kSameColumn) return at + place.row * step + place.column;
    const unsigned short* const here = at;
    at += step;
    return here;
  }
};

/// Starts the copies of a stage.
template <CopyPlan C>
__device__ void copy_stage(unsigned tile, const OperandView& view, const ThreadVectors<C>& vectors,
                           int first_k) {
  StageWalk<C> walk(view, vectors, first_k);
#pragma unroll
  for (int i = 0; i < C.vectors_per_thread(); ++i) {
    const TilePlace place = vectors.place(i);
    const unsigned short* const from = walk.next(place);
    if (!vectors.exists(i)) break;
    // Rows hold whole vectors, so a vector lies either inside or outside.
    const bool inside = walk.inside(place) > 0;
    ptx::copy_async<C.copy_bytes>(vectors.shared(tile, i), inside ? from : view.data,
                                  inside ? C.copy_bytes : 0);
  }
}

/// 8 elements from any element address: the aligned 16 bytes around the first one and the next 16.
struct UnalignedVector {
  uint4 low;
  uint4 high;
  unsigned shift;  // bytes of `low` before the first element, even
};

/// Loads the first `count` elements one by one; zeros follow them.
__device__ inline uint4 gather(const unsigned short* global, int count) {
  unsigned words[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const unsigned low = 2 * i < count ? global[2 * i] : 0;
    const unsigned high = 2 * i + 1 < count ? global[2 * i + 1] : 0;
    words[i] = low | high << 16;
  }
  return {words[0], words[1], words[2], words[3]};
}

/// Loads 8 elements. Aligned loads stay between the first and the last whole 16 bytes of the
/// operand's `rows`, which are `row_elements` long; other elements are loaded one by one.
__device__ inline UnalignedVector load_shifted(const OperandView& view, long long rows,
                                               long long row_elements, const unsigned short* global,
                                               int count) {
  UnalignedVector vector{{0, 0, 0, 0}, {0, 0, 0, 0}, 0};
  if (count == 0) return vector;
  const auto address = reinterpret_cast<unsigned long long>(global);
  const unsigned shift = static_cast<unsigned>(address) & 15;
  const unsigned long long first = address - shift;
  const auto begin = reinterpret_cast<unsigned long long>(view.data);
  const unsigned long long end = begin + 2ULL * ((rows - 1) * view.pitch + row_elements);
  const unsigned long long last = first + (shift == 0 ? 16 : 32);
  if (count == 8 && first >= begin && last <= end) {
    const auto* const aligned = reinterpret_cast<const uint4*>(first);
    vector.low = __ldg(aligned);
    if (shift != 0) vector.high = __ldg(aligned + 1);
    vector.shift = shift;
  } else {
    vector.low = gather(global, count);
  }
  return vector;
}

/// The 16 bytes from byte `shift` on of the 32 loaded ones.
__device__ inline uint4 joined(const UnalignedVector& vector) {
  unsigned words[8] = {vector.low.x,  vector.low.y,  vector.low.z,  vector.low.w,
                       vector.high.x, vector.high.y, vector.high.z, vector.high.w};
#pragma unroll
  for (int i = 0; i < 6; ++i) words[i] = vector.shift & 8 ? words[i + 2] : words[i];
#pragma unroll
  for (int i = 0; i < 5; ++i) words[i] = vector.shift & 4 ? words[i + 1] : words[i];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    words[i] = vector.shift & 2 ? __funnelshift_r(words[i], words[i + 1], 16) : words[i];
  }
  return {words[0], words[1], words[2], words[3]};
}

/// A stage of one operand in flight: started before the arithmetic, finished after it.
template <CopyPlan C>
struct StageCopy {
  ThreadVectors<C> vectors;

  __device__ void start(unsigned tile, const OperandView& view, int first_k) {
    copy_stage<C>(tile, view, vectors, first_k);
  }
  __device__ void finish(unsigned) {}
};

template <CopyPlan C>
requires(C.copy_bytes == 2) struct StageCopy<C> {
  ThreadVectors<C> vectors;
  UnalignedVector loaded[C.vectors_per_thread()];

  __device__ void start(unsigned, const OperandView& view, int first_k) {
    StageWalk<C> walk(view, vectors, first_k);
#pragma unroll
    for (int i = 0; i < C.vectors_per_thread(); ++i) {
      const TilePlace place = vectors.place(i);
      const unsigned short* const from = walk.next(place);
      loaded[i] =
          load_shifted(view, C.is_k_major ? view.lines : view.k, C.is_k_major ? view.k : view.lines,
                       from, vectors.exists(i) ? walk.inside(place) : 0);
    }
  }
  __device__ void finish(unsigned tile) {
#pragma unroll
    for (int i = 0; i < C.vectors_per_thread(); ++i) {
      if (vectors.exists(i)) ptx::store_vector(vectors.shared(tile, i), joined(loaded[i]));
    }
  }
};

}  // namespace tw
