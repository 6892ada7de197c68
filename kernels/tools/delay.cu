// Kernels that only wait. Work enqueued during the wait then runs back to back.

#include "ptx/special_registers.cuh"

extern "C" __global__ void delay(unsigned long long nanoseconds) {
  const unsigned long long start = tw::ptx::global_time_ns();
  unsigned long long now = start;
  do {
    now = tw::ptx::global_time_ns();
  } while (now - start < nanoseconds);
}

/// Ends once the host writes to `released`, and after `most_ns` at the latest.
extern "C" __global__ void hold(const volatile unsigned* released, unsigned long long most_ns) {
  const unsigned long long start = tw::ptx::global_time_ns();
  while (*released == 0 && tw::ptx::global_time_ns() - start < most_ns) {
  }
}
