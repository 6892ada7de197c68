// Finishes a product that a library has computed: D is the epilogue of its elements, at the speed
// of a copy. Where the library lacks an epilogue, its product and this kernel are what a fused
// kernel must beat. Compiled by NVRTC.

#include "config.cuh"  // written by the host: inline constexpr tw::ElementwiseParams kParams
#include "ptx/convert.cuh"
#include "tools/elementwise_args.cuh"
#include "tools/epilogue.cuh"

namespace tw {

/// The bias of a row of D.
template <ElementwiseParams P>
struct RowBias {
  const ElementwiseArgs& args;
  long long row;

  __device__ float c() const { return 0; }
  __device__ float bias() const { return ptx::to_float<P.element>(args.epilogue.bias[row]); }
};

/// Elements as 16-byte words move them.
template <ElementType E, int Count>
struct alignas(16) Elements {
  ptx::Bits<E> bits[Count];

  __device__ float value(int i) const { return ptx::to_float<E>(bits[i]); }
};

/// Loads or stores elements that begin at a multiple of 16 bytes, or of all their bytes if these
/// are fewer.
template <class Vector>
__device__ void copy_words(Vector& to, const Vector& from) {
  if constexpr (sizeof(Vector) % 16 == 0) {
#pragma unroll
    for (int i = 0; i < static_cast<int>(sizeof(Vector) / 16); ++i) {
      reinterpret_cast<uint4*>(&to)[i] = reinterpret_cast<const uint4*>(&from)[i];
    }
  } else {
    to = from;
  }
}

/// The sums of one vector of D: in a gated kernel the gates, then the ups, or both in turn.
template <ElementwiseParams P>
struct SumVector {
  static constexpr int kPerOutput = P.epilogue.sum_columns_per_output();
  static constexpr int kHalf = ElementwiseParams::kVector;
  Elements<P.sums, kHalf> halves[kPerOutput];

  /// Loads them for the elements from `first` on of D, in row `row`.
  __device__ void load(const ElementwiseArgs& args, long long first, long long row) {
    const auto* const sums = static_cast<const ptx::Bits<P.sums>*>(args.sums);
    // Stacked ups lie behind all gates of the row, others behind the vector's own gates.
    const long long begin = P.epilogue.stacked ? first + row * args.columns : first * kPerOutput;
    const long long apart = P.epilogue.stacked ? args.columns : kHalf;
#pragma unroll
    for (int i = 0; i < kPerOutput; ++i) {
      copy_words(halves[i],
                 *reinterpret_cast<const Elements<P.sums, kHalf>*>(sums + begin + i * apart));
    }
  }
  __device__ float gate(int i) const {
    return P.epilogue.stacked ? halves[0].value(i) : element(2 * i);
  }
  __device__ float up(int i) const {
    return P.epilogue.stacked ? halves[1].value(i) : element(2 * i + 1);
  }
  __device__ float element(int i) const {
    return halves[i / kHalf].value(i % kHalf);
  }
};

/// The element of D for one sum, or for a gate and its up.
template <ElementwiseParams P>
__device__ float finish(const ElementwiseArgs& args, long long row, float sum, float up,
                        AbsoluteMaximum<P.epilogue>& most) {
  const RowBias<P> operands{args, row};
  float value = apply_epilogue<P.epilogue>(args.epilogue, sum, operands);
  if constexpr (P.epilogue.gated()) {
    value = gated<P.epilogue>(value, apply_epilogue<P.epilogue>(args.epilogue, up, operands));
  }
  most.include(value);
  return scale_output<P.epilogue>(args.epilogue, value);
}

/// Computes the elements from `first` on of D, in row `row`, from their sums.
template <ElementwiseParams P>
__device__ void finish_vector(const ElementwiseArgs& args, long long first, long long row,
                              const SumVector<P>& sums, AbsoluteMaximum<P.epilogue>& most) {
  constexpr int kVector = ElementwiseParams::kVector;
  struct alignas(kVector * sizeof(ptx::Bits<P.output>) < 16 ? kVector * sizeof(ptx::Bits<P.output>)
                                                            : 16) Output {
    ptx::Bits<P.output> bits[kVector];
  } made;
#pragma unroll
  for (int i = 0; i < kVector; ++i) {
    const float sum = P.epilogue.gated() ? sums.gate(i) : sums.element(i);
    const float up = P.epilogue.gated() ? sums.up(i) : 0;
    made.bits[i] = ptx::from_float<P.output>(finish<P>(args, row, sum, up, most));
  }
  auto* const d = static_cast<ptx::Bits<P.output>*>(args.d) + first;
  copy_words(*reinterpret_cast<Output*>(d), made);
}

/// All vectors of a thread; their loads are issued before the first is used.
template <ElementwiseParams P>
__device__ void finish_vectors(const ElementwiseArgs& args, AbsoluteMaximum<P.epilogue>& most) {
  constexpr int kCount = ElementwiseParams::kVectors;
  constexpr long long kVector = ElementwiseParams::kVector;
  // Their number is far below 2^32: D has to fit the memory.
  const auto in_row = static_cast<unsigned>(args.columns / kVector);
  const auto all = static_cast<unsigned>(args.rows) * in_row;
  const unsigned stride = gridDim.x * blockDim.x;
  const unsigned first = blockIdx.x * blockDim.x + threadIdx.x;
  SumVector<P> sums[kCount];
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    const unsigned at = first + i * stride;
    if (at < all) sums[i].load(args, at * kVector, at / in_row);
  }
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    const unsigned at = first + i * stride;
    if (at < all) finish_vector<P>(args, at * kVector, at / in_row, sums[i], most);
  }
}

/// The same one by one, for rows of any length.
template <ElementwiseParams P>
__device__ void finish_elements(const ElementwiseArgs& args, AbsoluteMaximum<P.epilogue>& most) {
  constexpr int kPerOutput = P.epilogue.sum_columns_per_output();
  const auto* const sums = static_cast<const ptx::Bits<P.sums>*>(args.sums);
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long at = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
       at < args.rows * args.columns; at += stride) {
    const long long row = at / args.columns;
    const long long column = at % args.columns;
    const long long own =
        row * args.columns * kPerOutput + (P.epilogue.stacked ? column : column * kPerOutput);
    const float sum = ptx::to_float<P.sums>(sums[own]);
    float up = 0;
    if constexpr (P.epilogue.gated()) {
      up = ptx::to_float<P.sums>(sums[own + (P.epilogue.stacked ? args.columns : 1)]);
    }
    static_cast<ptx::Bits<P.output>*>(args.d)[at] =
        ptx::from_float<P.output>(finish<P>(args, row, sum, up, most));
  }
}

}  // namespace tw

extern "C" __global__ void __launch_bounds__(tw::ElementwiseParams::kThreads)
    elementwise(const __grid_constant__ tw::ElementwiseArgs args) {
  tw::AbsoluteMaximum<kParams.epilogue> most;
  if (args.columns % tw::ElementwiseParams::kVector == 0) {
    tw::finish_vectors<kParams>(args, most);
  } else {
    tw::finish_elements<kParams>(args, most);
  }
  most.publish_of_warp(args.epilogue);
}
