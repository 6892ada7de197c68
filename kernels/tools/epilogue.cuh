// The epilogue of every family: sums -> alpha, scales, beta * C, bias, activation, scale of D.
#pragma once

#include "map/epilogue.cuh"
#include "ptx/global_memory.cuh"

namespace tw {

/// fp32 functions of the special function unit.
struct FastMath {
  __device__ float exp(float x) const { return __expf(x); }
  __device__ float divide(float a, float b) const { return __fdividef(a, b); }
  __device__ float normal(float x) const { return normal_below(x, *this); }
};

/// The sum times alpha and the operands' scales; kAlways: alpha also in kernels without
/// EpilogueParams::scaled.
template <EpilogueParams E, bool kAlways>
__device__ inline float apply_scales(const EpilogueArgs& args, float sum) {
  float value = E.scaled || kAlways ? args.alpha * sum : sum;
  if constexpr (E.scale_a) value *= *args.scale_a;
  if constexpr (E.scale_b) value *= *args.scale_b;
  return value;
}

/// Finishes a sum that is already scaled: the element of D, or in a gated kernel its gate or
/// up. `operands` has c() and bias() of the element; they are called only where the kernel adds
/// them.
template <EpilogueParams E, class Operands>
__device__ inline float apply_epilogue(const EpilogueArgs& args, float value,
                                       const Operands& operands) {
  if constexpr (E.scaled) {
    if (args.beta != 0) value += args.beta * operands.c();
  }
  if constexpr (E.adds_bias()) value += operands.bias();
  if constexpr (E.gated()) return value;
  return apply_activation(E.activation, value, FastMath{});
}

/// The element of D for a finished gate and up.
template <EpilogueParams E>
__device__ inline float gated(float gate, float up) {
  return apply_activation(E.activation, gate, FastMath{}) * up;
}

/// A thread's share of D's absolute maximum before the scale. It is empty where the kernel has
/// none.
template <EpilogueParams E>
struct AbsoluteMaximum {
  unsigned bits = 0;

  /// Includes an element of D.
  __device__ void include(float value) {
    if constexpr (E.absmax) bits = max(bits, __float_as_uint(value) & 0x7FFFFFFFU);
  }
  /// Publishes the thread's share. Most shares are below the maximum so far: a load is cheaper than
  /// an atomic operation that changes nothing.
  __device__ void publish(const EpilogueArgs& args) const {
    if constexpr (E.absmax) {
      if (bits > ptx::load_relaxed(&args.scaling->absmax)) atomicMax(&args.scaling->absmax, bits);
    }
  }
  /// Publishes the shares of the warp's lanes, which all call it.
  __device__ void publish_of_warp(const EpilogueArgs& args) {
    if constexpr (E.absmax) {
      __syncwarp();
      bits = __reduce_max_sync(0xFFFFFFFFU, bits);
      if (threadIdx.x % 32 == 0) publish(args);
    }
  }
};

/// The element of D for an activated value.
template <EpilogueParams E>
__device__ inline float scale_output(const EpilogueArgs& args, float value) {
  if constexpr (E.scale_d) return args.scaling->scale * value;
  return value;
}

}  // namespace tw
