// What the compiler may not assume: no instructions.
#pragma once

namespace tw::ptx {

/// Loads and stores after it stay after it.
__device__ inline void keep_order() {
  asm volatile("" ::: "memory");
}

/// The compiler no longer knows where the value came from, and so derives nothing from it earlier.
__device__ inline void forget(int& value) {
  asm volatile("" : "+r"(value));
}

/// Both: what uses the value, loads and stores after it stay after it.
__device__ inline void keep_order(unsigned& value) {
  asm volatile("" : "+r"(value)::"memory");
}

}  // namespace tw::ptx
