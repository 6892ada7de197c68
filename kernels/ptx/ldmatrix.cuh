// Shared memory of the mma kernels: matrix loads in the registers that mma wants, vector stores.
#pragma once

namespace tw::ptx {

/// Loads four 8x8 matrices of 16-bit elements; lane l gives the 16-byte aligned address of row
/// l % 8 of matrix l / 8. Transposed: every matrix is handed out by columns.
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
