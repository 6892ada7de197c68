// Asynchronous copies of single words from global to shared memory (compute capability 8.0).
#pragma once

namespace tw::ptx {

/// Copies `bytes` (0 or Bytes) of 4, 8 or 16 bytes and fills the rest with zeros; both addresses
/// are multiples of Bytes. With 0 bytes nothing is read.
template <int Bytes>
__device__ inline void copy_async(unsigned shared, const void* global, int bytes) {
  if constexpr (Bytes == 16) {
    // Bypasses L1: no other thread of the multiprocessor reads these bytes.
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(global),
                 "r"(bytes)
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared), "l"(global),
                 "n"(Bytes), "r"(bytes)
                 : "memory");
  }
}

__device__ inline void copy_async_commit() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

/// Waits until at most `Pending` of the thread's groups are still in flight.
template <int Pending>
__device__ inline void copy_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}

/// Waits until all of the thread's copies have arrived, in a group or not.
__device__ inline void copy_async_wait_all() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}

}  // namespace tw::ptx
