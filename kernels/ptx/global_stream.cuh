// Loads and stores of global memory that say how they are cached or ordered.
#pragma once

namespace tw::ptx {

/// 16 bytes that are read once: past L1, and L2 fetches the 128 bytes around them. Read-only data.
__device__ inline uint4 load_streamed(const void* global) {
  uint4 v;
  asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(global));
  return v;
}

/// 16 bytes that others of the multiprocessor read too. Read-only data.
__device__ inline uint4 load_shared_by_many(const void* global) {
  uint4 v;
  asm volatile("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(global));
  return v;
}

/// What other CTAs released before they wrote this word is visible afterwards.
__device__ inline int load_acquire(const int* global) {
  int value;
  asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(global) : "memory");
  return value;
}

/// What the thread wrote (or saw by a barrier) before is visible to who acquires this word.
__device__ inline void store_release(int* global, int value) {
  asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(global), "r"(value) : "memory");
}

/// Adds one and returns the value before; releases and acquires.
__device__ inline int count_arrival(int* global) {
  int before;
  asm volatile("atom.acq_rel.gpu.global.add.s32 %0, [%1], 1;"
               : "=r"(before)
               : "l"(global)
               : "memory");
  return before;
}

/// Partial sums that another CTA wrote: past L1, which is not coherent.
__device__ inline float4 load_partial(const float* global) {
  float4 v;
  asm volatile("ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "l"(global)
               : "memory");
  return v;
}

__device__ inline float load_partial_word(const float* global) {
  float value;
  asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(value) : "l"(global) : "memory");
  return value;
}

}  // namespace tw::ptx
