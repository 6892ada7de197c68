// Four fp32 values of a thread, and shared memory in 16-byte accesses.
#pragma once

namespace tw::ptx {

struct Floats4 {
  float x, y, z, w;
};

__device__ inline Floats4 load_own_shared(unsigned shared) {
  Floats4 v;
  asm volatile("ld.shared::cta.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "r"(shared)
               : "memory");
  return v;
}

__device__ inline void store_own_shared(unsigned shared, Floats4 v) {
  asm volatile("st.shared::cta.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(shared), "f"(v.x), "f"(v.y),
               "f"(v.z), "f"(v.w)
               : "memory");
}

}  // namespace tw::ptx
