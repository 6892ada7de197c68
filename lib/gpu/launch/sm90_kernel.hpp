// The sm_90a family on the device.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/launch/gemm_kernel.hpp"

namespace tilewright {

/// kernel_sources() of the family.
std::vector<KernelSource> sm90_sources(const Plan& plan, KernelExtras extras);

/// load_gemm_kernel() of the family.
std::unique_ptr<GemmKernel> load_sm90_kernel(std::span<const std::string> cubins, const Plan& plan,
                                             KernelExtras extras);

}  // namespace tilewright
