// The second kernel of split-K through a workspace: D is the epilogue of the sum of the slices, in
// their order. Compiled by NVRTC, specialised on kFinishParams.

#include "config.cuh"  // written by the host: inline constexpr tw::FinishParams kFinishParams
#include "ptx/global_memory.cuh"
#include "sm80/args.cuh"
#include "tools/finish.cuh"

namespace tw {

/// Four neighbours of the linear m x n output.
template <FinishParams F>
__device__ void sum_vector(const SliceSumArgs& args, long long first) {
  const FinishArgs finish{args.epilogue, args.d};
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
  float values[4];
  const long long left = args.elements - first;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (i >= left) break;
    const long long element = first + i;
    values[i] = finished<F>(finish, sums[i], element, static_cast<int>(element % args.n));
  }
  const bool aligned = reinterpret_cast<unsigned long long>(args.d) % (2 * F.output_bytes()) == 0;
#pragma unroll
  for (int i = 0; i < 4; i += 2) {
    if (i + 1 < left && aligned) {
      store_pair<F>(finish, first + i, values[i], values[i + 1]);
      continue;
    }
    if (i < left) store_element<F>(finish, first + i, values[i]);
    if (i + 1 < left) store_element<F>(finish, first + i + 1, values[i + 1]);
  }
}

}  // namespace tw

extern "C" __global__ void __launch_bounds__(256)
    sum_slices(const __grid_constant__ tw::SliceSumArgs args) {
  const long long first = 4 * (static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x);
  if (first < args.elements) tw::sum_vector<kFinishParams>(args, first);
}
