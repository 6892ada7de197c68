// Special registers: on which multiprocessor and when a thread runs.
#pragma once

namespace tw::ptx {

__device__ inline unsigned multiprocessor() {
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  return sm;
}

__device__ inline unsigned long long global_time_ns() {
  unsigned long long time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}

}  // namespace tw::ptx
