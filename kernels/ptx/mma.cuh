// The warp's matrix multiply-add m16n8k16 with fp32 sums (compute capability 8.0), and the accesses
// to shared memory for its operands.
#pragma once

#include "map/element_type.cuh"

namespace tw::ptx {

/// sums (16 x 8) += a (16 x 16) * b (16 x 8).
template <ElementType E>
__device__ inline void multiply_add(float (&sums)[4], const unsigned (&a)[4], unsigned b0,
                                    unsigned b1) {
  if constexpr (E == ElementType::BF16) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  } else {
    static_assert(E == ElementType::F16, "m16n8k16 multiplies bf16 and f16");
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  }
}

/// Loads four 8x8 matrices of 16-bit elements; lane l gives the 16-byte aligned address of row l %
/// 8 of matrix l / 8. Transposed: every matrix is transposed on its way to the registers.
template <bool Transposed>
__device__ inline void load_matrices(unsigned (&words)[4], unsigned shared) {
  if constexpr (Transposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"(shared)
                 : "memory");
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"(shared)
                 : "memory");
  }
}

/// Stores 16 bytes at a 16-byte aligned address.
__device__ inline void store_vector(unsigned shared, uint4 v) {
  asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(shared), "r"(v.x), "r"(v.y),
               "r"(v.z), "r"(v.w)
               : "memory");
}

}  // namespace tw::ptx
