// The state of one warpgroup while the parts of a divided tile are summed.
#pragma once

#include "ptx/cluster.cuh"
#include "ptx/special_registers.cuh"
#include "sm90/partials.cuh"

namespace tw {

/// A warpgroup and its rows of one part.
template <Sm90Params P>
struct Fixup {
  const SharedLayout<P>& shared;
  PartialPlace place;
  int part;
  int parts;
  int warpgroup;
  int thread;

  __device__ bool is_last() const { return part + 1 == parts; }
  /// Read from the special register each time: holding `thread` in a register for it spilt others.
  __device__ bool is_first_thread() const {
    return threadIdx.x % Sm90Params::kWarpgroupThreads == 0;
  }
  __device__ void sync() const { ptx::warpgroup_sync(1 + warpgroup); }
  __device__ bool any(bool value) const { return ptx::warpgroup_any(1 + warpgroup, value); }
};

/// In test builds: sleeps up to 8 us, a random time for every warp.
template <Sm90Params P>
__device__ void inject_delay() {
  if constexpr (P.delays) {
    unsigned x = static_cast<unsigned>(ptx::global_time_ns() / 32) * 2654435761U +
                 (blockIdx.x * 1024 + threadIdx.x / 32) * 40503U;
    x ^= x >> 15;
    x *= 2246822519U;
    x ^= x >> 13;
    ptx::sleep_ns(x % 8192);
  }
}

}  // namespace tw
