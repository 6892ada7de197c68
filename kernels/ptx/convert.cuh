// Conversions between fp32 and the element types, and the matrix store that goes with them.
#pragma once

#include "map/element_type.cuh"

namespace tw::ptx {

template <int Bytes>
struct BitsOf;
template <>
struct BitsOf<1> {
  using Type = unsigned char;
};
template <>
struct BitsOf<2> {
  using Type = unsigned short;
};
template <>
struct BitsOf<4> {
  using Type = unsigned;
};
/// The bits of an element as memory holds them.
template <ElementType E>
using Bits = typename BitsOf<bytes_of(E)>::Type;

/// Always false: for static_assert in the branch of an unsupported type.
template <ElementType E>
inline constexpr bool kAlwaysFalse = false;

/// Two values of a 16-bit type, rounded to nearest even; `low` in the low half.
template <ElementType E>
__device__ inline unsigned pack(float low, float high) {
  unsigned packed;
  if constexpr (E == ElementType::BF16) {
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
  } else if constexpr (E == ElementType::F16) {
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
  } else {
    static_assert(kAlwaysFalse<E>, "no pair of this type is a word");
  }
  return packed;
}

/// Two values of e4m3, rounded to nearest even; beyond its range the largest finite value.
__device__ inline unsigned short pack_e4m3(float low, float high) {
  unsigned short packed;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(packed) : "f"(high), "f"(low));
  return packed;
}

template <ElementType E>
__device__ inline Bits<E> from_float(float value) {
  Bits<E> bits;
  if constexpr (E == ElementType::BF16) {
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  } else if constexpr (E == ElementType::F16) {
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  } else if constexpr (E == ElementType::F32) {
    bits = __float_as_uint(value);
  } else if constexpr (E == ElementType::E4M3) {
    bits = static_cast<unsigned char>(pack_e4m3(value, value));
  } else if constexpr (E == ElementType::E5M2) {
    unsigned short packed;
    asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %1;" : "=h"(packed) : "f"(value));
    bits = static_cast<unsigned char>(packed);
  } else {
    static_assert(kAlwaysFalse<E>, "nothing is rounded to this type");
  }
  return bits;
}

template <ElementType E>
__device__ inline float to_float(Bits<E> bits) {
  float value;
  if constexpr (E == ElementType::BF16) {
    asm("mov.b32 %0, {0, %1};" : "=f"(value) : "h"(bits));
  } else if constexpr (E == ElementType::F16) {
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  } else if constexpr (E == ElementType::F32) {
    value = __uint_as_float(bits);
  } else if constexpr (E == ElementType::E4M3) {
    unsigned pair;
    asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(pair) : "h"(static_cast<unsigned short>(bits)));
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(static_cast<unsigned short>(pair)));
  } else if constexpr (E == ElementType::E5M2) {  // the upper half of an f16
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(static_cast<unsigned short>(bits << 8)));
  } else {
    static_assert(kAlwaysFalse<E>, "a type without values");
  }
  return value;
}

/// Stores two 8x8 matrices of 16-bit elements; lanes 0 to 15 give the addresses of their rows, or
/// with Transposed of their columns.
template <bool Transposed>
__device__ inline void stmatrix_x2(unsigned shared, unsigned r0, unsigned r1) {
  if constexpr (Transposed) {
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(shared),
                 "r"(r0), "r"(r1)
                 : "memory");
  } else {
    asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(shared), "r"(r0),
                 "r"(r1)
                 : "memory");
  }
}

/// Stores four 8x8 matrices of 16-bit elements; lane l gives the address of row l % 8 of
/// matrix l / 8, or with Transposed of its column.
template <bool Transposed>
__device__ inline void stmatrix_x4(unsigned shared, unsigned r0, unsigned r1, unsigned r2,
                                   unsigned r3) {
  if constexpr (Transposed) {
    asm volatile(
        "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(shared),
        "r"(r0), "r"(r1), "r"(r2), "r"(r3)
        : "memory");
  } else {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(shared),
                 "r"(r0), "r"(r1), "r"(r2), "r"(r3)
                 : "memory");
  }
}

/// The inverse of stmatrix_x2: loads two 8x8 matrices.
template <bool Transposed>
__device__ inline void ldmatrix_x2(unsigned shared, unsigned& r0, unsigned& r1) {
  if constexpr (Transposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(r0), "=r"(r1)
                 : "r"(shared)
                 : "memory");
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(r0), "=r"(r1)
                 : "r"(shared)
                 : "memory");
  }
}

/// The inverse of stmatrix_x4: loads four 8x8 matrices.
template <bool Transposed>
__device__ inline void ldmatrix_x4(unsigned shared, unsigned& r0, unsigned& r1, unsigned& r2,
                                   unsigned& r3) {
  if constexpr (Transposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
                 : "r"(shared)
                 : "memory");
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
                 : "r"(shared)
                 : "memory");
  }
}

}  // namespace tw::ptx
