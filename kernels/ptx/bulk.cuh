// Bulk copies of contiguous bytes from shared to global memory, plain or adding: the asynchronous
// proxy's accesses to memory that ordinary loads and stores of other CTAs touch too.
#pragma once

namespace tw::ptx {

/// `bytes` a multiple of 16, both addresses 16-byte aligned; part of the thread's current group.
__device__ inline void bulk_store(float* global, unsigned shared, int bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(global),
               "r"(shared), "r"(bytes)
               : "memory");
}

/// Adds fp32 elements to memory; each element by itself, in no order among copies.
__device__ inline void bulk_reduce_add(float* global, unsigned shared, int bytes) {
  asm volatile(
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(global),
      "r"(shared), "r"(bytes)
      : "memory");
}

/// Returns once all of this thread's groups are complete: their writes are done and visible to it.
/// (The `.read` form only says that their sources were read.)
__device__ inline void bulk_wait_complete() {
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

/// Orders what this thread knows of global memory before its later asynchronous accesses.
__device__ inline void fence_global_for_async() {
  asm volatile("fence.proxy.async.global;" ::: "memory");
}

}  // namespace tw::ptx
