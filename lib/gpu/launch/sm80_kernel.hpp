// The sm_80 family on the device.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "gpu/launch/gemm_kernel.hpp"

namespace tilewright {

/// load_gemm_kernel() of the family.
std::unique_ptr<GemmKernel> load_sm80_kernel(std::span<const std::string> cubins, const Plan& plan,
                                             KernelExtras extras);

}  // namespace tilewright
