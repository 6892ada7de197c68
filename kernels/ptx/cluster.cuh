// Clusters, named barriers and register budgets: how the warps of a launch identify and wait for
// each other.
#pragma once

namespace tw::ptx {

__device__ inline unsigned cluster_rank() {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

/// A barrier for all threads of all CTAs of the cluster: `wait` returns once each has called
/// `arrive`. Earlier writes become visible only if a fence published them; a release here would
/// cost a full fence.
__device__ inline void cluster_arrive() {
  asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
}
__device__ inline void cluster_wait() {
  asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}

/// A barrier for the 128 threads of one warpgroup; `id` in [1, 16).
__device__ inline void warpgroup_sync(int id) {
  asm volatile("bar.sync %0, 128;" ::"r"(id) : "memory");
}

/// warpgroup_sync(), and true for all threads where it is true for any.
__device__ inline bool warpgroup_any(int id, bool value) {
  unsigned any;
  asm volatile(
      "{\n"
      ".reg .pred own, all;\n"
      "setp.ne.u32 own, %2, 0;\n"
      "bar.red.or.pred all, %1, 128, own;\n"
      "selp.u32 %0, 1, 0, all;\n"
      "}"
      : "=r"(any)
      : "r"(id), "r"(value ? 1U : 0U)
      : "memory");
  return any != 0;
}

/// Hand-over between two warpgroups: `wait` returns once the other warpgroup has called `arrive`
/// with the same id.
__device__ inline void ordered_barrier_wait(int id) {
  asm volatile("bar.sync %0, 256;" ::"r"(id) : "memory");
}
__device__ inline void ordered_barrier_arrive(int id) {
  asm volatile("bar.arrive %0, 256;" ::"r"(id) : "memory");
}

/// Gives registers back; all warps of the warpgroup.
template <int Registers>
__device__ inline void warpgroup_reg_dealloc() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));
}

/// Takes registers, waiting until others have given them back; all warps of the warpgroup.
template <int Registers>
__device__ inline void warpgroup_reg_alloc() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));
}

/// True in one lane; all lanes of the warp. Where only that lane goes on, ptxas knows that there is
/// one, and keeps addresses of copies in uniform registers.
__device__ inline bool is_elected() {
  unsigned elected;
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "elect.sync _|p, 0xFFFFFFFF;\n"
      "selp.u32 %0, 1, 0, p;\n"
      "}"
      : "=r"(elected));
  return elected != 0;
}

/// The value of the lane with index lane ^ mask; all lanes of the warp.
__device__ inline float from_lane_xor(float value, int mask) {
  return __shfl_xor_sync(0xFFFFFFFF, value, mask);
}

/// The value of lane `lane`; all lanes of the warp.
__device__ inline unsigned from_lane(unsigned value, int lane) {
  return __shfl_sync(0xFFFFFFFF, value, lane);
}
__device__ inline float from_lane(float value, int lane) {
  return __shfl_sync(0xFFFFFFFF, value, lane);
}

}  // namespace tw::ptx
