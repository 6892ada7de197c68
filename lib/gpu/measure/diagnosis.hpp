// Diagnoses the CUDA driver, libraries and devices of this host.
#pragma once

#include <string>
#include <vector>

#include "gate/device_prober.hpp"
#include "gpu/compile/cubin_cache.hpp"

namespace tilewright {

/// Why there is no GPU: the runtime's error text, except without a driver (version 0), where the
/// runtime complains of the driver's version.
std::string no_device_reason(int driver_version, const std::string& runtime_says);

/// Checks driver and libraries; needs no GPU.
std::vector<Finding> diagnose_libraries(const CubinCache& cache);

/// Checks device `index`, which must exist: memory, clocks, mode, timing and counters. Runs a
/// kernel. `state` was read before this process had a context.
std::vector<Finding> diagnose_device(int index, const DeviceState& state, const CubinCache& cache);

}  // namespace tilewright
