// Clusters, named barriers and register budgets: how warps of a launch find and wait for each
// other.
#pragma once

#include "ptx/shared_access.cuh"

namespace tw::ptx {

__device__ inline unsigned cluster_rank() {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

/// All threads of all CTAs of the cluster meet: `wait` returns once each has called `arrive`. What
/// they wrote before is known only if a fence published it: a release here would be a full one.
__device__ inline void cluster_arrive() {
  asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
}
__device__ inline void cluster_wait() {
  asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}

/// The 128 threads of one warpgroup; `id` in [1, 16).
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

/// One warpgroup lets another one pass: `wait` returns once the other has called `allow` with the
/// same id.
__device__ inline void turn_wait(int id) {
  asm volatile("bar.sync %0, 256;" ::"r"(id) : "memory");
}
__device__ inline void turn_allow(int id) {
  asm volatile("bar.arrive %0, 256;" ::"r"(id) : "memory");
}

/// Gives registers back; all warps of the warpgroup.
template <int Registers>
__device__ inline void register_budget_shrink() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));
}

/// Takes registers, waiting until others have given them back; all warps of the warpgroup.
template <int Registers>
__device__ inline void register_budget_grow() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));
}

/// The value of the lane whose number differs by `mask`; all lanes of the warp.
__device__ inline float from_lane_xor(float value, int mask) {
  return __shfl_xor_sync(0xFFFFFFFF, value, mask);
}

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

// Distributed shared memory: one CTA of a cluster writes into another's and says so.

/// The address in CTA `rank` of the cluster that is `shared` in this one.
__device__ inline unsigned address_in(unsigned shared, unsigned rank) {
  unsigned remote;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(shared), "r"(rank));
  return remote;
}

/// 16 bytes to an address_in().
__device__ inline void store_in_cluster(unsigned remote, Floats4 v) {
  asm volatile("st.shared::cluster.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(remote), "f"(v.x),
               "f"(v.y), "f"(v.z), "f"(v.w)
               : "memory");
}

/// A word to an address_in().
__device__ inline void store_in_cluster(unsigned remote, int value) {
  asm volatile("st.shared::cluster.b32 [%0], %1;" ::"r"(remote), "r"(value) : "memory");
}

/// Arrives at CTA `rank`'s barrier and publishes to it what this thread knows.
__device__ inline void mbarrier_release_remote(unsigned barrier, unsigned rank) {
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(
                   address_in(barrier, rank))
               : "memory");
}

/// Returns once the phase of that parity is complete, knowing what the cluster's CTAs published.
__device__ inline void mbarrier_acquire_cluster(unsigned barrier, unsigned parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again;\n"
      "}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

}  // namespace tw::ptx
