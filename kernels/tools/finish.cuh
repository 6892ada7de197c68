// Turns a sum into an element of D: the epilogue, rounding, the store.
#pragma once

#include "ptx/convert.cuh"
#include "tools/epilogue.cuh"
#include "tools/finish_args.cuh"

namespace tw {

/// Reads the operands of an element's epilogue from memory.
template <FinishParams F>
struct ElementOperands {
  const FinishArgs& args;
  int row;
  int column;

  __device__ float c() const {
    const long long pitch = F.epilogue.has_scaling() ? args.ldd : args.epilogue.ldc;
    return ptx::to_float<F.element>(args.epilogue.c[row * pitch + column]);
  }
  __device__ float bias() const {
    return ptx::to_float<F.element>(args.epilogue.bias[F.epilogue.bias_index(row, column, args.n)]);
  }
};

template <FinishParams F>
using FinishMaximum = AbsoluteMaximum<F.epilogue>;

/// The value of D at (row, column) before its scale; in a gated kernel a gate or up.
template <FinishParams F>
__device__ inline float apply_epilogue(const FinishArgs& args, float sum, int row, int column) {
  const EpilogueArgs& e = args.epilogue;
  const ElementOperands<F> operands{args, row, column};
  return apply_epilogue<F.epilogue>(e, apply_scales<F.epilogue, true>(e, sum), operands);
}

/// The same times the scale; `most` includes the value before it.
template <FinishParams F>
__device__ inline float finish_element(const FinishArgs& args, float sum, int row, int column,
                                       FinishMaximum<F>& most) {
  const float value = apply_epilogue<F>(args, sum, row, column);
  most.include(value);
  return scale_output<F.epilogue>(args.epilogue, value);
}

template <FinishParams F>
__device__ inline void store_element(const FinishArgs& args, long long at, float value) {
  if constexpr (F.output == ElementType::F32) {
    static_cast<float*>(args.d)[at] = value;
  } else {
    static_cast<ptx::Bits<F.output>*>(args.d)[at] = ptx::from_float<F.output>(value);
  }
}

/// Finishes two neighbours of a row, gates them into one element of D and stores it.
template <FinishParams F>
__device__ inline void store_gated(const FinishArgs& args, int row, int column, float gate,
                                   float up, FinishMaximum<F>& most) {
  const float value = gated<F.epilogue>(apply_epilogue<F>(args, gate, row, column),
                                        apply_epilogue<F>(args, up, row, column + 1));
  most.include(value);
  store_element<F>(args, row * args.ldd + column / 2,
                   scale_output<F.epilogue>(args.epilogue, value));
}

/// Stores D at `at` and `at` + 1 at once; the address must be a multiple of two elements.
template <FinishParams F>
__device__ inline void store_pair(const FinishArgs& args, long long at, float low, float high) {
  if constexpr (F.output == ElementType::F32) {
    *reinterpret_cast<float2*>(static_cast<float*>(args.d) + at) = {low, high};
  } else if constexpr (F.output == ElementType::E4M3) {
    *reinterpret_cast<unsigned short*>(static_cast<unsigned char*>(args.d) + at) =
        ptx::pack_e4m3(low, high);
  } else {
    *reinterpret_cast<unsigned*>(static_cast<unsigned short*>(args.d) + at) =
        ptx::pack<F.output>(low, high);
  }
}

/// True where every even column of D is aligned for store_pair.
template <FinishParams F>
__device__ inline bool pairs_aligned(const FinishArgs& args) {
  const auto address = reinterpret_cast<unsigned long long>(args.d);
  return args.ldd % 2 == 0 && address % (2 * F.output_bytes()) == 0;
}

}  // namespace tw
