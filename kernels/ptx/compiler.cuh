// Barriers for the compiler only: they emit no instructions.
#pragma once

namespace tw::ptx {

/// Loads and stores after this call stay after it.
__device__ inline void compiler_barrier() {
  asm volatile("" ::: "memory");
}

/// The compiler forgets how the value was computed, so it derives nothing from it before this call.
__device__ inline void make_opaque(int& value) {
  asm volatile("" : "+r"(value));
}

/// The value is computed before this call, not where it is used.
__device__ inline void compute_now(float& value) {
  asm volatile("" : "+f"(value));
}

/// The compiler moves no later load, store or use of the value before this call.
__device__ inline void compiler_barrier(unsigned& value) {
  asm volatile("" : "+r"(value)::"memory");
}

}  // namespace tw::ptx
