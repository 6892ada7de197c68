// The second kernel of split-K through a workspace: D is the epilogue of the sum of the slices,
// added in order. Compiled by NVRTC, specialised on kFinishParams.

#include "config.cuh"  // written by the host: inline constexpr tw::FinishParams kFinishParams
#include "ptx/global_memory.cuh"
#include "sm80/args.cuh"
#include "tools/finish.cuh"
#include "tools/reduce_trace.cuh"

namespace tw {

/// Sums and finishes four neighbours of the linear m x n output.
template <FinishParams F>
__device__ void sum_vector(const SliceSumArgs& args, long long first) {
  const FinishArgs finish{args.epilogue, args.d, args.ldd, args.n};
  FinishMaximum<F> most;
  const float* at = args.partials + first;
  float4 sum = *reinterpret_cast<const float4*>(at);
  for (int slice = 1; slice < args.slices; ++slice) {
    at += args.slice_stride;
    const float4 next = *reinterpret_cast<const float4*>(at);
    sum.x += next.x;
    sum.y += next.y;
    sum.z += next.z;
    sum.w += next.w;
  }
  const float sums[4] = {sum.x, sum.y, sum.z, sum.w};
  const long long left = args.elements - first;
  const bool pairs = pairs_aligned<F>(finish);
  int rows[4];
  int columns[4];
  [[maybe_unused]] float values[4];
  rows[0] = static_cast<int>(first / args.n);
  columns[0] = static_cast<int>(first % args.n);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (i > 0) {
      const bool next_row = columns[i - 1] + 1 == args.n;
      rows[i] = rows[i - 1] + (next_row ? 1 : 0);
      columns[i] = next_row ? 0 : columns[i - 1] + 1;
    }
    if (!F.epilogue.gated() && i < left)
      values[i] = finish_element<F>(finish, sums[i], rows[i], columns[i], most);
  }
#pragma unroll
  for (int i = 0; i < 4; i += 2) {
    if constexpr (F.epilogue.gated()) {
      // Rows have an even length, so both neighbours are in one row.
      if (i < left) store_gated<F>(finish, rows[i], columns[i], sums[i], sums[i + 1], most);
      continue;
    }
    const long long at = rows[i] * args.ldd + columns[i];
    const bool together = rows[i + 1] == rows[i] && columns[i] % 2 == 0;
    if (pairs && together && i + 1 < left) {
      store_pair<F>(finish, at, values[i], values[i + 1]);
      continue;
    }
    if (i < left) store_element<F>(finish, at, values[i]);
    const long long next = rows[i + 1] * args.ldd + columns[i + 1];
    if (i + 1 < left) store_element<F>(finish, next, values[i + 1]);
  }
  most.publish(args.epilogue);
}

}  // namespace tw

extern "C" __global__ void __launch_bounds__(256)
    sum_slices(const __grid_constant__ tw::SliceSumArgs args) {
  const long long first = 4 * (static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x);
  if (args.trace != nullptr) tw::trace_start(*args.trace);
  if (first < args.elements) tw::sum_vector<kFinishParams>(args, first);
  if (args.trace != nullptr) tw::trace_end(*args.trace);
}
