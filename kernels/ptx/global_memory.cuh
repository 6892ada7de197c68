// Global memory that several CTAs share: vector accesses that bypass L1, vector atomics, and the
// acquire and release that order them at the scope of the device.
#pragma once

#include "ptx/floats4.cuh"

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

/// Adds to memory, in any order among the threads that do; fp32, each element by itself.
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

__device__ inline void store_release(unsigned* address, unsigned value) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
}

__device__ inline void store_relaxed(unsigned* address, unsigned value) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
}

/// Adds and returns what was there: publishes what the thread knows, and learns what others
/// published.
__device__ inline unsigned fetch_add(unsigned* address, unsigned value) {
  unsigned before;
  asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(address), "r"(value)
               : "memory");
  return before;
}

/// Adds and publishes what the thread knows, without waiting for the sum.
__device__ inline void add_release(unsigned* address, unsigned value) {
  asm volatile("red.release.gpu.global.add.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
}

/// Returns once the word has the value; what its writer published is then known.
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

/// Lets the next kernel of the stream, if it was launched so, start early.
__device__ inline void launch_dependents() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

/// Returns once the kernels before in the stream are done and their writes are visible.
__device__ inline void wait_for_dependencies() {
  asm volatile("griddepcontrol.wait;" ::: "memory");
}

}  // namespace tw::ptx
