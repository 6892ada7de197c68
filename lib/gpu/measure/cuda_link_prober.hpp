// The LinkProber on CUDA: the kernels of links.cu and copy engines on the GPUs of one host.
#pragma once

#include <memory>
#include <span>

#include "gate/link_prober.hpp"
#include "gpu/compile/cubin_cache.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// Enables access among all of `gpus` for the rest of the process, and allocates 512 MiB on each.
/// `spec` describes every one of them. Throws an environment error for GPUs of another compute
/// capability than 9.0, or without access to each other.
std::unique_ptr<LinkProber> make_cuda_link_prober(std::span<const int> gpus, const DeviceSpec& spec,
                                                  const CubinCache& cache);

}  // namespace tilewright
