// Edits of TMA descriptors on the device: a warp changes a copy in shared memory and then writes it
// to global memory for later launches, which acquire it (ptx/tma.cuh).
#pragma once

#include "ptx/shared_access.cuh"
#include "ptx/tma.cuh"

namespace tw::ptx {

__device__ inline void replace_address(unsigned map, const void* global) {
  asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(map),
               "l"(global)
               : "memory");
}

/// Sets the extents: `rows` rows of `columns` elements.
__device__ inline void replace_extents(unsigned map, int columns, int rows) {
  asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 0, %1;" ::"r"(map),
               "r"(columns)
               : "memory");
  asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, %1;" ::"r"(map),
               "r"(rows)
               : "memory");
}

/// Sets the distance of neighbouring rows, in bytes.
__device__ inline void replace_stride(unsigned map, long long bytes) {
  asm volatile("tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], 0, %1;" ::"r"(map),
               "l"(bytes)
               : "memory");
}

/// Writes the copy to global memory, where later launches acquire it; all lanes of the warp.
__device__ inline void publish_tensor_map(TensorMap* global, unsigned map) {
  asm volatile(
      "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned"
      " [%0], [%1], 128;" ::"l"(global),
      "r"(map)
      : "memory");
}

}  // namespace tw::ptx
