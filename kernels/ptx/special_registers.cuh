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

/// 0, in a way that ptxas takes for different in the lanes of a warp.
__device__ inline int zero_of_lane() {
  unsigned lanes_below = 0;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lanes_below));
  return static_cast<int>(lanes_below >> 31);
}

}  // namespace tw::ptx
