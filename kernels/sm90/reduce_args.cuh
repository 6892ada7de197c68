// What a launch of the workspace reduction's second kernel is told; the host fills the same struct.
#pragma once

#include "sm90/gemm_args.cuh"

namespace tw {

/// The first kernel's arguments, and what it knew from its launch.
struct ReduceArgs {
  GemmArgs gemm;
  int workers = 0;  // clusters of the first kernel's launch
  int groups = 1;   // of warps that share the parts of their quads out
  int spans = 1;    // of 32 quads a block sums, each by as many warps as there are groups
};

}  // namespace tw
