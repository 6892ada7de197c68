// Single accesses to global memory that pass L1 by, and bulk copies from there to shared memory.
#pragma once

namespace tw::ptx {

__device__ inline unsigned load_l2(const unsigned* address) {
  unsigned v;
  asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(address) : "memory");
  return v;
}

__device__ inline uint4 load_l2(const uint4* address) {
  uint4 v;
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(address)
               : "memory");
  return v;
}

/// Copies `bytes`, a multiple of 16, to a shared address and signals the barrier there.
__device__ inline void bulk_load(unsigned shared, const void* global, unsigned bytes,
                                 unsigned barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared),
      "l"(global), "r"(bytes), "r"(barrier)
      : "memory");
}

}  // namespace tw::ptx
