// What a launch of the workspace reduction's second kernel is told; the host fills the same struct.
#pragma once

#include "gemm_args.cuh"

namespace tw {

/// The first kernel's arguments, and what it knew from its launch.
struct ReduceArgs {
  GemmArgs gemm;
  int workers = 0;  // clusters of the first kernel's launch
};

}  // namespace tw
