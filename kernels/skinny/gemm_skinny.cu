// The skinny family: D = epilogue(A B) for up to 16 rows, at the speed of memory.
//
// B is read once, straight into registers, without shared memory. A warp multiplies 16 lines of B
// (the mma's rows) by 8 rows of A (its columns). A lane's 16-byte load holds 8 elements of one
// line, which are the fragments of two mma without any exchange: lane q of a line's four puts
// elements 8q .. 8q+7 in places (2q, 2q+1, 2q+8, 2q+9) of the first and of the second mma. A and B
// use the same permutation of k, which leaves the sum unchanged.
//
// The warps of a CTA take batches of k in turn and sum their results in shared memory. Compiled by
// NVRTC, specialised on kParams.

#include "config.cuh"  // written by the host: inline constexpr tw::SkinnyParams kParams
#include "map/work_split.cuh"
#include "ptx/global_memory.cuh"
#include "ptx/mma.cuh"
#include "skinny/params.cuh"
#include "tools/finish.cuh"

namespace tw {

/// One batch, as a lane holds it.
template <SkinnyParams P>
struct Batch {
  uint4 b[P.line_tiles()][2][P.loads()];
  uint4 a[P.row_tiles()][P.loads()];
};

/// The lines that a lane reads, from its first element on. Beyond the last line it reads the last
/// one again; the results of these reads are never stored.
template <SkinnyParams P>
struct Lines {
  const unsigned short* b[P.line_tiles()][2];
  const unsigned short* a[P.row_tiles()];

  __device__ Lines(const SkinnyArgs& args, int first_line, int lane) {
    const int offset = lane % 4 * SkinnyParams::kLoadElements;
#pragma unroll
    for (int i = 0; i < P.line_tiles(); ++i) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int line =
            min(first_line + i * SkinnyParams::kMmaN + half * 8 + lane / 4, args.n - 1);
        b[i][half] = args.b + P.b_line(line, args.n) * args.ldb + offset;
      }
    }
#pragma unroll
    for (int j = 0; j < P.row_tiles(); ++j) {
      const int row = j * SkinnyParams::kMmaM + lane / 4;
      a[j] = args.a + min(row, args.m - 1) * args.lda + offset;
    }
  }
};

/// Loads the batch at `k`. The last batch may hold fewer than cta_k elements; zeros follow them.
template <SkinnyParams P, bool Whole>
__device__ void load_batch(const Lines<P>& lines, int k, int left, Batch<P>& batch) {
  constexpr uint4 kZeros{0, 0, 0, 0};
#pragma unroll
  for (int u = 0; u < P.loads(); ++u) {
    const int at = k + u * SkinnyParams::kLoadDepth;
    const bool inside = Whole || u * SkinnyParams::kLoadDepth < left;
#pragma unroll
    for (int i = 0; i < P.line_tiles(); ++i) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        batch.b[i][half][u] =
            inside ? ptx::ld_global_nc_no_allocate(lines.b[i][half] + at) : kZeros;
      }
    }
#pragma unroll
    for (int j = 0; j < P.row_tiles(); ++j) {
      batch.a[j][u] = inside ? ptx::ld_global_nc(lines.a[j] + at) : kZeros;
    }
  }
}

template <SkinnyParams P>
using SkinnySums = float[P.line_tiles()][P.row_tiles()][4];

template <SkinnyParams P>
__device__ void multiply_batch(const Batch<P>& batch, SkinnySums<P>& sums) {
#pragma unroll
  for (int u = 0; u < P.loads(); ++u) {
#pragma unroll
    for (int i = 0; i < P.line_tiles(); ++i) {
      const uint4 low = batch.b[i][0][u];
      const uint4 high = batch.b[i][1][u];
      const unsigned first[4] = {low.x, high.x, low.y, high.y};
      const unsigned second[4] = {low.z, high.z, low.w, high.w};
#pragma unroll
      for (int j = 0; j < P.row_tiles(); ++j) {
        const uint4 a = batch.a[j][u];
        ptx::multiply_add<P.element>(sums[i][j], first, a.x, a.y);
        ptx::multiply_add<P.element>(sums[i][j], second, a.z, a.w);
      }
    }
  }
}

/// Sums over the whole batches `warp`, `warp` + k_warps, ... of [begin, end).
template <SkinnyParams P>
__device__ void stream(const Lines<P>& lines, int begin, int end, int warp, SkinnySums<P>& sums) {
  Batch<P> batches[P.stages];
  const int first = begin + warp;
  const int count = first < end ? (end - first - 1) / P.k_warps + 1 : 0;
  const auto load = [&](Batch<P>& batch, int i) {
    load_batch<P, true>(lines, (first + i * P.k_warps) * P.cta_k, 0, batch);
  };
#pragma unroll
  for (int s = 0; s < P.stages - 1; ++s) {
    if (s < count) load(batches[s], s);
  }
  for (int base = 0; base < count; base += P.stages) {
#pragma unroll
    for (int s = 0; s < P.stages; ++s) {
      const int next = base + s + P.stages - 1;
      if (next < count) load(batches[(s + P.stages - 1) % P.stages], next);
      if (base + s < count) multiply_batch<P>(batches[s], sums);
    }
  }
}

/// Adds the products for the k after the last whole batch.
template <SkinnyParams P>
__device__ void stream_rest(const SkinnyArgs& args, const Lines<P>& lines, int lane,
                            SkinnySums<P>& sums) {
  const int k = args.k / P.cta_k * P.cta_k;
  Batch<P> batch;
  load_batch<P, false>(lines, k, args.k - k - lane % 4 * SkinnyParams::kLoadElements, batch);
  multiply_batch<P>(batch, sums);
}

template <SkinnyParams P>
__device__ void share_sums(float (&shared)[P.cta_m][P.cta_n], int lane, const SkinnySums<P>& sums) {
#pragma unroll
  for (int i = 0; i < P.line_tiles(); ++i) {
#pragma unroll
    for (int j = 0; j < P.row_tiles(); ++j) {
#pragma unroll
      for (int v = 0; v < 4; ++v) {
        shared[j * SkinnyParams::kMmaM + lane % 4 * 2 + v % 2]
              [i * SkinnyParams::kMmaN + v / 2 * 8 + lane / 4] = sums[i][j][v];
      }
    }
  }
}

/// True in the last CTA of the tile to arrive, which then sees the others' partial sums.
__device__ inline bool arrives_last(int* counter, int slices) {
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) {
    last = ptx::count_arrival(counter) + 1 == slices;
    if (last) *counter = 0;
  }
  __syncthreads();
  return last;
}

/// Calls visit(row, column of the tile) for the thread's elements.
template <SkinnyParams P, class Visit>
__device__ void for_each_element(const SkinnyArgs& args, int first_line, const Visit& visit) {
  for (int e = static_cast<int>(threadIdx.x); e < P.cta_m * P.cta_n; e += P.threads()) {
    const int row = e / P.cta_n;
    const int column = e % P.cta_n;
    if (row >= args.m || first_line + column >= args.n) continue;
    visit(row, column);
  }
}

template <SkinnyParams P>
__device__ void store_tile(const SkinnyArgs& args, int tile, int slice,
                           const float (&shared)[P.k_warps][P.cta_m][P.cta_n]) {
  constexpr FinishParams kF{P.element, P.output, P.epilogue};
  const FinishArgs finish{args.epilogue, args.d, args.ldd, args.n};
  FinishMaximum<kF> most;
  const int first_line = tile * P.cta_n;
  const long long stride = static_cast<long long>(args.m) * args.n;
  const auto cta_sum = [&](int row, int column) {
    float sum = shared[0][row][column];
#pragma unroll
    for (int w = 1; w < P.k_warps; ++w) sum += shared[w][row][column];
    return sum;
  };
  // In a gated kernel the thread of an even column computes both sums.
  const auto store = [&](int row, int column, const auto& sum_of) {
    if constexpr (P.epilogue.gated()) {
      if (column % 2 != 0) return;
      store_gated<kF>(finish, row, first_line + column, sum_of(row, column),
                      sum_of(row, column + 1), most);
    } else {
      const float sum = sum_of(row, column);
      store_element<kF>(finish, row * args.ldd + first_line + column,
                        finish_element<kF>(finish, sum, row, first_line + column, most));
    }
  };
  const auto partial = [&](int row, int column) {
    return static_cast<long long>(row) * args.n + first_line + column;
  };
  if constexpr (!P.split) {
    for_each_element<P>(args, first_line,
                        [&](int row, int column) { store(row, column, cta_sum); });
  } else {
    for_each_element<P>(args, first_line, [&](int row, int column) {
      args.partials[slice * stride + partial(row, column)] = cta_sum(row, column);
    });
    if (!arrives_last(args.counters + tile, args.slices)) return;
    const auto whole_sum = [&](int row, int column) {
      float sum = 0;
      const long long at = partial(row, column);
      for (int s = 0; s < args.slices; ++s) {
        sum += ptx::load_partial_word(args.partials + s * stride + at);
      }
      return sum;
    };
    for_each_element<P>(args, first_line,
                        [&](int row, int column) { store(row, column, whole_sum); });
  }
  most.publish(args.epilogue);
}

template <SkinnyParams P>
__device__ void gemm(const SkinnyArgs& args) {
  __shared__ float shared[P.k_warps][P.cta_m][P.cta_n];
  const int tile = static_cast<int>(blockIdx.x) / args.slices;
  const int slice = static_cast<int>(blockIdx.x) % args.slices;
  const int warp = static_cast<int>(threadIdx.x) / SkinnyParams::kWarpThreads;
  const int lane = static_cast<int>(threadIdx.x) % SkinnyParams::kWarpThreads;
  const Lines<P> lines(args, tile * P.cta_n, lane);
  const Span<int> steps = even_share((args.k + P.cta_k - 1) / P.cta_k, args.slices, slice);
  // The last k-step may be ragged.
  const bool rest = args.k % P.cta_k != 0 && slice + 1 == args.slices;
  SkinnySums<P> sums = {};
  ptx::griddepcontrol_wait();
  ptx::griddepcontrol_launch_dependents();
  stream<P>(lines, steps.begin, steps.end - (rest ? 1 : 0), warp, sums);
  if (rest && warp + 1 == P.k_warps) stream_rest<P>(args, lines, lane, sums);
  share_sums<P>(shared[warp], lane, sums);
  __syncthreads();
  store_tile<P>(args, tile, slice, shared);
}

}  // namespace tw

extern "C" __global__ void __launch_bounds__(kParams.threads())
    gemm_skinny(const __grid_constant__ tw::SkinnyArgs args) {
  tw::gemm<kParams>(args);
}
