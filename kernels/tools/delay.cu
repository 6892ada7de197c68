// A kernel that only waits. Work enqueued during the wait then runs back to back.

#include "ptx/special_registers.cuh"

extern "C" __global__ void delay(unsigned long long nanoseconds) {
  const unsigned long long start = tw::ptx::global_time_ns();
  unsigned long long now = start;
  do {
    now = tw::ptx::global_time_ns();
  } while (now - start < nanoseconds);
}
