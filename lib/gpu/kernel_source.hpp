// From a config to the program text that the compiler gets.
#pragma once

#include "gpu/nvrtc.hpp"
#include "tile_params.cuh"

namespace tilewright {

/// The sm_90a GEMM specialised on `params`.
KernelSource gemm_source(const tw::TileParams& params);

}  // namespace tilewright
