// Single accesses to shared memory, each exactly one instruction. Addresses are 32-bit
// shared-memory addresses; lanes with `active` 0 are predicated off.
#pragma once

namespace tw::ptx {

/// ld.shared of 1, 2, 4, 8 or 16 bytes; returns the XOR of the loaded words.
template <int Bytes>
__device__ inline unsigned load_shared(unsigned address, unsigned active) {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if constexpr (Bytes == 1) {
    asm volatile(
        "{\n"
        ".reg .pred on;\n"
        "setp.ne.b32 on, %2, 0;\n"
        "@on ld.shared.u8 %0, [%1];\n"
        "}"
        : "+r"(a)
        : "r"(address), "r"(active)
        : "memory");
  } else if constexpr (Bytes == 2) {
    asm volatile(
        "{\n"
        ".reg .pred on;\n"
        "setp.ne.b32 on, %2, 0;\n"
        "@on ld.shared.u16 %0, [%1];\n"
        "}"
        : "+r"(a)
        : "r"(address), "r"(active)
        : "memory");
  } else if constexpr (Bytes == 4) {
    asm volatile(
        "{\n"
        ".reg .pred on;\n"
        "setp.ne.b32 on, %2, 0;\n"
        "@on ld.shared.b32 %0, [%1];\n"
        "}"
        : "+r"(a)
        : "r"(address), "r"(active)
        : "memory");
  } else if constexpr (Bytes == 8) {
    asm volatile(
        "{\n"
        ".reg .pred on;\n"
        "setp.ne.b32 on, %3, 0;\n"
        "@on ld.shared.v2.b32 {%0, %1}, [%2];\n"
        "}"
        : "+r"(a), "+r"(b)
        : "r"(address), "r"(active)
        : "memory");
  } else if constexpr (Bytes == 16) {
    asm volatile(
        "{\n"
        ".reg .pred on;\n"
        "setp.ne.b32 on, %5, 0;\n"
        "@on ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];\n"
        "}"
        : "+r"(a), "+r"(b), "+r"(c), "+r"(d)
        : "r"(address), "r"(active)
        : "memory");
  }
  return a ^ b ^ c ^ d;
}

/// st.shared of 1, 2, 4, 8 or 16 bytes; every word is `value`.
template <int Bytes>
__device__ inline void store_shared(unsigned address, unsigned active, unsigned value) {
  if constexpr (Bytes == 1) {
    asm volatile(
        "{\n"
        ".reg .pred on;\n"
        "setp.ne.b32 on, %1, 0;\n"
        "@on st.shared.u8 [%0], %2;\n"
        "}" ::"r"(address),
        "r"(active), "r"(value)
        : "memory");
  } else if constexpr (Bytes == 2) {
    asm volatile(
        "{\n"
        ".reg .pred on;\n"
        "setp.ne.b32 on, %1, 0;\n"
        "@on st.shared.u16 [%0], %2;\n"
        "}" ::"r"(address),
        "r"(active), "r"(value)
        : "memory");
  } else if constexpr (Bytes == 4) {
    asm volatile(
        "{\n"
        ".reg .pred on;\n"
        "setp.ne.b32 on, %1, 0;\n"
        "@on st.shared.b32 [%0], %2;\n"
        "}" ::"r"(address),
        "r"(active), "r"(value)
        : "memory");
  } else if constexpr (Bytes == 8) {
    asm volatile(
        "{\n"
        ".reg .pred on;\n"
        "setp.ne.b32 on, %1, 0;\n"
        "@on st.shared.v2.b32 [%0], {%2, %2};\n"
        "}" ::"r"(address),
        "r"(active), "r"(value)
        : "memory");
  } else if constexpr (Bytes == 16) {
    asm volatile(
        "{\n"
        ".reg .pred on;\n"
        "setp.ne.b32 on, %1, 0;\n"
        "@on st.shared.v4.b32 [%0], {%2, %2, %2, %2};\n"
        "}" ::"r"(address),
        "r"(active), "r"(value)
        : "memory");
  }
}

/// ldmatrix of 1, 2 or 4 8x8 matrices of 16-bit elements; returns the XOR of the loaded words.
/// Lanes 0 to 8 * Matrices - 1 give the row addresses.
template <int Matrices, bool Transposed>
__device__ inline unsigned load_matrix(unsigned address) {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if constexpr (Matrices == 1 && !Transposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                 : "=r"(a)
                 : "r"(address)
                 : "memory");
  } else if constexpr (Matrices == 1 && Transposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"
                 : "=r"(a)
                 : "r"(address)
                 : "memory");
  } else if constexpr (Matrices == 2 && !Transposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(a), "=r"(b)
                 : "r"(address)
                 : "memory");
  } else if constexpr (Matrices == 2 && Transposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(a), "=r"(b)
                 : "r"(address)
                 : "memory");
  } else if constexpr (Matrices == 4 && !Transposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(address)
                 : "memory");
  } else if constexpr (Matrices == 4 && Transposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(address)
                 : "memory");
  }
  return a ^ b ^ c ^ d;
}

/// stmatrix of 1, 2 or 4 8x8 matrices; all registers hold `value`.
template <int Matrices, bool Transposed>
__device__ inline void store_matrix(unsigned address, unsigned value) {
  if constexpr (Matrices == 1 && !Transposed) {
    asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(address), "r"(value)
                 : "memory");
  } else if constexpr (Matrices == 1 && Transposed) {
    asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(address),
                 "r"(value)
                 : "memory");
  } else if constexpr (Matrices == 2 && !Transposed) {
    asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %1};" ::"r"(address),
                 "r"(value)
                 : "memory");
  } else if constexpr (Matrices == 2 && Transposed) {
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %1};" ::"r"(address),
                 "r"(value)
                 : "memory");
  } else if constexpr (Matrices == 4 && !Transposed) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %1, %1, %1};" ::"r"(address),
                 "r"(value)
                 : "memory");
  } else if constexpr (Matrices == 4 && Transposed) {
    asm volatile(
        "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %1, %1, %1};" ::"r"(address),
        "r"(value)
        : "memory");
  }
}

/// Four fp32 values: one thread's 16 bytes of shared memory.
struct Floats4 {
  float x, y, z, w;
};

__device__ inline Floats4 ld_shared_v4(unsigned shared) {
  Floats4 v;
  asm volatile("ld.shared::cta.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "r"(shared)
               : "memory");
  return v;
}

__device__ inline float ld_shared(unsigned shared) {
  float v;
  asm volatile("ld.shared::cta.f32 %0, [%1];" : "=f"(v) : "r"(shared) : "memory");
  return v;
}

__device__ inline void st_shared(unsigned shared, Floats4 v) {
  asm volatile("st.shared::cta.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(shared), "f"(v.x), "f"(v.y),
               "f"(v.z), "f"(v.w)
               : "memory");
}

__device__ inline void st_shared(unsigned shared, unsigned short v) {
  asm volatile("st.shared::cta.b16 [%0], %1;" ::"r"(shared), "h"(v) : "memory");
}

}  // namespace tw::ptx
