// Distributed shared memory: one CTA of a cluster writes into another's and signals it.
#pragma once

#include "ptx/shared_access.cuh"

namespace tw::ptx {

/// The address in CTA `rank` of the cluster that is `shared` in this one.
__device__ inline unsigned address_in(unsigned shared, unsigned rank) {
  unsigned remote;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(shared), "r"(rank));
  return remote;
}

/// Stores 16 bytes at an address from address_in().
__device__ inline void store_in_cluster(unsigned remote, Floats4 v) {
  asm volatile("st.shared::cluster.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(remote), "f"(v.x),
               "f"(v.y), "f"(v.z), "f"(v.w)
               : "memory");
}

/// Stores a word at an address from address_in().
__device__ inline void store_in_cluster(unsigned remote, int value) {
  asm volatile("st.shared::cluster.b32 [%0], %1;" ::"r"(remote), "r"(value) : "memory");
}

/// Arrives at CTA `rank`'s barrier with release at cluster scope: publishes this thread's earlier
/// writes.
__device__ inline void mbarrier_release_remote(unsigned barrier, unsigned rank) {
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(
                   address_in(barrier, rank))
               : "memory");
}

/// Returns once the phase of that parity is complete; acquires what the cluster's CTAs published.
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
