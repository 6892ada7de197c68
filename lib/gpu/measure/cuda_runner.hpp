// The Runner on CUDA: our kernels and cuBLASLt's on one device.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gate/device_prober.hpp"
#include "gpu/compile/cubin_cache.hpp"
#include "search/runner.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// `spec` describes device `index`; operands are drawn from `seed`.
std::unique_ptr<Runner> make_cuda_runner(int index, const DeviceSpec& spec, const CubinCache& cache,
                                         uint64_t seed, Regime regime = Regime::Rotate);

// The DeviceProber on CUDA: the kernels of calibrate.cu on one device.

/// `spec` describes device `index`. Throws an environment error for a device other than compute
/// capability 9.0. Records activity while it lives: no Runner beside it.
std::unique_ptr<DeviceProber> make_cuda_prober(int index, const DeviceSpec& spec,
                                               const CubinCache& cache);

// The state of CUDA's parts on this host, as far as the runtime tells.

/// Why there is no GPU, from what the runtime says. Without a driver (version 0) it complains of
/// the driver's version.
std::string no_device_reason(int driver_version, const std::string& runtime_says);

/// Driver and libraries, which need no GPU.
std::vector<Finding> diagnose_libraries(const CubinCache& cache);

/// Device `index`, which is there: memory, clocks, mode, timing and counters. Runs a kernel.
/// `state` was read before this process had a context.
std::vector<Finding> diagnose_device(int index, const DeviceState& state, const CubinCache& cache);

}  // namespace tilewright
