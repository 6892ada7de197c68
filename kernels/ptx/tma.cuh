// TMA: bulk tensor copies between global and shared memory. Coordinates are elements, innermost
// first; boxes that leave the tensor are filled with zeros on loads and clipped on stores.
#pragma once

namespace tw::ptx {

/// 128 opaque bytes, encoded by the driver.
struct alignas(64) TensorMap {
  char opaque[128];
};

__device__ inline void prefetch_tensor_map(const TensorMap* map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

/// Must precede the first use of a tensor map in global memory, on the thread that uses it: TMA
/// then reads what the host or an earlier kernel wrote there.
__device__ inline void acquire_tensor_map(const TensorMap* map) {
  asm volatile("fence.proxy.tensormap::generic.acquire.sys [%0], 128;" ::"l"(map) : "memory");
}

/// L2 cache policy for loads: their lines are the first to be evicted.
__device__ inline unsigned long long evict_first_policy() {
  unsigned long long policy;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}

template <bool EvictFirst>
__device__ inline void tma_load(unsigned shared, const TensorMap* map, int x, int y,
                                unsigned barrier) {
  if constexpr (EvictFirst) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
        ".L2::cache_hint [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared),
        "l"(map), "r"(x), "r"(y), "r"(barrier), "l"(evict_first_policy())
        : "memory");
  } else {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
        " [%0], [%1, {%2, %3}], [%4];" ::"r"(shared),
        "l"(map), "r"(x), "r"(y), "r"(barrier)
        : "memory");
  }
}

/// The same for a tensor of three dimensions.
template <bool EvictFirst>
__device__ inline void tma_load(unsigned shared, const TensorMap* map, int x, int y, int z,
                                unsigned barrier) {
  if constexpr (EvictFirst) {
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
        ".L2::cache_hint [%0], [%1, {%2, %3, %4}], [%5], %6;" ::"r"(shared),
        "l"(map), "r"(x), "r"(y), "r"(z), "r"(barrier), "l"(evict_first_policy())
        : "memory");
  } else {
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
        " [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(shared),
        "l"(map), "r"(x), "r"(y), "r"(z), "r"(barrier)
        : "memory");
  }
}

/// Writes to the same shared address of every CTA in `mask` and signals each one's barrier.
template <bool EvictFirst>
__device__ inline void tma_load_multicast(unsigned shared, const TensorMap* map, int x, int y,
                                          unsigned barrier, unsigned short mask) {
  if constexpr (EvictFirst) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
        ".multicast::cluster.L2::cache_hint [%0], [%1, {%2, %3}], [%4], %5, %6;" ::"r"(shared),
        "l"(map), "r"(x), "r"(y), "r"(barrier), "h"(mask), "l"(evict_first_policy())
        : "memory");
  } else {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
        ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared),
        "l"(map), "r"(x), "r"(y), "r"(barrier), "h"(mask)
        : "memory");
  }
}

/// The same for a tensor of three dimensions.
template <bool EvictFirst>
__device__ inline void tma_load_multicast(unsigned shared, const TensorMap* map, int x, int y,
                                          int z, unsigned barrier, unsigned short mask) {
  if constexpr (EvictFirst) {
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
        ".multicast::cluster.L2::cache_hint [%0], [%1, {%2, %3, %4}], [%5], %6, %7;" ::"r"(shared),
        "l"(map), "r"(x), "r"(y), "r"(z), "r"(barrier), "h"(mask), "l"(evict_first_policy())
        : "memory");
  } else {
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
        ".multicast::cluster [%0], [%1, {%2, %3, %4}], [%5], %6;" ::"r"(shared),
        "l"(map), "r"(x), "r"(y), "r"(z), "r"(barrier), "h"(mask)
        : "memory");
  }
}

__device__ inline void tma_store(const TensorMap* map, unsigned shared, int x, int y) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map),
      "r"(x), "r"(y), "r"(shared)
      : "memory");
}

/// Adds to the elements in memory, rounding to the map's type.
__device__ inline void tma_reduce_add(const TensorMap* map, unsigned shared, int x, int y) {
  asm volatile(
      "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group"
      " [%0, {%1, %2}], [%3];" ::"l"(map),
      "r"(x), "r"(y), "r"(shared)
      : "memory");
}

__device__ inline void tma_store_commit() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/// Returns once all but the newest `Pending` groups of this thread have read their shared memory.
template <int Pending>
__device__ inline void tma_store_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Pending) : "memory");
}

/// Orders this thread's ordinary shared-memory writes before later asynchronous reads of them.
__device__ inline void fence_shared_for_async() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/// Bulk copies of contiguous bytes from shared to global memory, plain or adding: accesses of the
/// asynchronous proxy to memory that ordinary loads and stores of other CTAs access too. `bytes` is
/// a multiple of 16, both addresses are 16-byte aligned; part of the thread's current group.
__device__ inline void bulk_store(float* global, unsigned shared, int bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(global),
               "r"(shared), "r"(bytes)
               : "memory");
}

/// Adds fp32 elements to memory, each atomically, in no order among copies.
__device__ inline void bulk_reduce_add(float* global, unsigned shared, int bytes) {
  asm volatile(
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(global),
      "r"(shared), "r"(bytes)
      : "memory");
}

/// Returns once all of this thread's groups are complete: their writes are done and visible to it.
/// (The `.read` form only waits until their sources are read.)
__device__ inline void bulk_wait_complete() {
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

/// Orders this thread's view of global memory before its later asynchronous accesses.
__device__ inline void fence_global_for_async() {
  asm volatile("fence.proxy.async.global;" ::: "memory");
}

}  // namespace tw::ptx
