// Global memory that several CTAs share: vector accesses that bypass L1, vector atomics, and the
// acquire and release that order them, at the scope of the device or of the system.
#pragma once

#include "ptx/shared_access.cuh"

namespace tw::ptx {

__device__ inline Floats4 load_relaxed(const float* address) {
  Floats4 v;
  asm volatile("ld.relaxed.gpu.global.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "l"(address)
               : "memory");
  return v;
}

__device__ inline void store_relaxed(float* address, Floats4 v) {
  asm volatile("st.relaxed.gpu.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(address), "f"(v.x),
               "f"(v.y), "f"(v.z), "f"(v.w)
               : "memory");
}

/// Adds four fp32 values to memory, each atomically and in any order among threads.
__device__ inline void reduce_add(float* address, Floats4 v) {
  asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(address), "f"(v.x),
               "f"(v.y), "f"(v.z), "f"(v.w)
               : "memory");
}

__device__ inline unsigned load_acquire(const unsigned* address) {
  unsigned value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
  return value;
}

__device__ inline unsigned load_relaxed(const unsigned* address) {
  unsigned value;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
  return value;
}

__device__ inline void store_release(unsigned* address, unsigned value) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
}

__device__ inline void store_relaxed(unsigned* address, unsigned value) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
}

/// Acquires what another GPU of the host released with this word.
__device__ inline unsigned load_acquire_system(const unsigned* address) {
  unsigned value;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
  return value;
}

/// Releases this thread's earlier writes, of its own and of other GPUs' memory, to all GPUs.
__device__ inline void store_release_system(unsigned* address, unsigned value) {
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
}

/// Adds and returns the value before, with acquire and release: publishes this thread's earlier
/// writes, and makes what others published visible.
__device__ inline unsigned fetch_add(unsigned* address, unsigned value) {
  unsigned before;
  asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(address), "r"(value)
               : "memory");
  return before;
}

/// Adds and returns the value before, without ordering: no wait until the value is used.
__device__ inline unsigned fetch_add_relaxed(unsigned* address, unsigned value) {
  unsigned before;
  asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(address), "r"(value)
               : "memory");
  return before;
}

/// Adds with release: publishes this thread's earlier writes, without waiting for the sum.
__device__ inline void add_release(unsigned* address, unsigned value) {
  asm volatile("red.release.gpu.global.add.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
}

/// Returns once the word has the value; then everything that its writer published is visible.
__device__ inline void wait_until_equal(const unsigned* address, unsigned value) {
  while (load_acquire(address) != value) {
  }
}

/// The same, once the word is at least the value.
__device__ inline void wait_until_at_least(const unsigned* address, unsigned value) {
  while (load_acquire(address) < value) {
  }
}

__device__ inline void sleep_ns(unsigned ns) {
  asm volatile("nanosleep.u32 %0;" ::"r"(ns));
}

/// Lets the next kernel of the stream start early, if it was launched with that attribute.
__device__ inline void griddepcontrol_launch_dependents() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/// Returns once the earlier kernels of the stream are done and their writes are visible.
__device__ inline void griddepcontrol_wait() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Loads a word, bypassing L1.
__device__ inline unsigned load_l2(const unsigned* address) {
  unsigned v;
  asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(address) : "memory");
  return v;
}

__device__ inline uint2 load_l2(const uint2* address) {
  uint2 v;
  asm volatile("ld.global.cg.v2.u32 {%0, %1}, [%2];"
               : "=r"(v.x), "=r"(v.y)
               : "l"(address)
               : "memory");
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

/// Copies `bytes`, a multiple of 16, to shared memory and signals the barrier there.
__device__ inline void bulk_load(unsigned shared, const void* global, unsigned bytes,
                                 unsigned barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared),
      "l"(global), "r"(bytes), "r"(barrier)
      : "memory");
}

/// Fetches the 128 bytes around an address into L2.
__device__ inline void prefetch_l2(const void* global) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(global));
}

/// Loads 16 read-only bytes that are read once: bypasses L1; L2 fetches the 128 bytes around them.
__device__ inline uint4 ld_global_nc_no_allocate(const void* global) {
  uint4 v;
  asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(global));
  return v;
}

/// Loads 16 read-only bytes that other threads of the multiprocessor read too.
__device__ inline uint4 ld_global_nc(const void* global) {
  uint4 v;
  asm volatile("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(global));
  return v;
}

/// Loads with acquire: writes that other CTAs released with this word are visible afterwards.
__device__ inline int load_acquire(const int* global) {
  int value;
  asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(global) : "memory");
  return value;
}

/// Stores with release: a thread that acquires this word sees this thread's earlier writes, and
/// those that it saw by a barrier.
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

/// Loads partial sums that another CTA wrote: bypasses L1, which is not coherent.
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

/// Loads `value` where `wanted`, without a branch.
__device__ inline void load_if(bool wanted, const float* at, float& value) {
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "setp.ne.b32 p, %2, 0;\n"
      "@p ld.global.f32 %0, [%1];\n"
      "}"
      : "+f"(value)
      : "l"(at), "r"(wanted ? 1 : 0));
}

}  // namespace tw::ptx
