// The sm_90a family on the device.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/launch/gemm_kernel.hpp"

namespace tilewright {

/// launch_steps() of the family.
std::vector<LaunchStep> sm90_steps(const Plan& plan);

/// launch_memory() of the family.
LaunchMemory sm90_memory(const Plan& plan);

/// load_gemm_kernel() of the family.
std::unique_ptr<GemmKernel> load_sm90_kernel(std::span<const std::string> cubins, const Plan& plan,
                                             KernelExtras extras);

}  // namespace tilewright
