// The DeviceProber on CUDA: the kernels of calibrate.cu on one device.
#pragma once

#include <memory>

#include "gate/device_prober.hpp"
#include "gpu/compile/cubin_cache.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// `spec` describes device `index`. Throws an environment error for a device other than compute
/// capability 9.0. The prober records kernel activity, so no Runner may exist at the same time.
std::unique_ptr<DeviceProber> make_cuda_prober(int index, const DeviceSpec& spec,
                                               const CubinCache& cache);

}  // namespace tilewright
