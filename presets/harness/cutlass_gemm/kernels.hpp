// The kernels of this example, and how each is asked for. A kernel is compiled in a translation
// unit of its own, from kernel.cu.
#pragma once

#include <cuda_runtime.h>
#include <tilewright_harness.h>

#include <cstdint>

// Tile m and n, cluster m and n, and 1 for the pingpong schedule or 0 for the cooperative one. Two
// warpgroups share a tile when they cooperate, and take tiles in turn when they play ping-pong;
// then each holds the sums of a whole tile in its registers.
#define CUTLASS_GEMM_KERNELS(KERNEL) \
  KERNEL(128, 256, 2, 1, 0)          \
  KERNEL(128, 256, 1, 2, 0)          \
  KERNEL(128, 256, 1, 1, 0)          \
  KERNEL(256, 128, 2, 1, 0)          \
  KERNEL(256, 128, 1, 2, 0)          \
  KERNEL(256, 128, 1, 1, 0)          \
  KERNEL(128, 128, 2, 1, 0)          \
  KERNEL(128, 128, 1, 2, 0)          \
  KERNEL(128, 128, 1, 1, 0)          \
  KERNEL(128, 128, 2, 1, 1)          \
  KERNEL(128, 128, 1, 2, 1)          \
  KERNEL(128, 128, 1, 1, 1)          \
  KERNEL(64, 256, 2, 1, 1)           \
  KERNEL(64, 256, 1, 2, 1)           \
  KERNEL(64, 256, 1, 1, 1)           \
  KERNEL(64, 128, 2, 1, 1)           \
  KERNEL(64, 128, 1, 2, 1)           \
  KERNEL(64, 128, 1, 1, 1)

namespace cutlass_gemm {

struct Problem {
  int m, n, k;
  int64_t lda, ldb, ldd;  // elements
  float alpha;
  int raster;   // of the tile scheduler; 1: along m; 2: along n
  int swizzle;  // of the tile scheduler: tiles, at most
  int sm_count;
};

// Both return 0, or write a sentence.
template <int kTileM, int kTileN, int kClusterM, int kClusterN, int kPingpong>
struct Kernel {
  static int check(const Problem& problem, TilewrightHarnessMessage* message);
  static int run(const Problem& problem, const TilewrightHarnessOperands& operands,
                 cudaStream_t stream, TilewrightHarnessMessage* message);
};

}  // namespace cutlass_gemm
