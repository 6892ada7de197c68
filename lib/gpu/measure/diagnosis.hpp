// Diagnoses the CUDA driver, libraries and devices of this host.
#pragma once

#include <string>
#include <vector>

#include "gate/device_state.hpp"
#include "gate/doctor.hpp"
#include "gpu/compile/cubin_cache.hpp"

namespace tilewright {

/// Why there is no GPU, from what the runtime says. Without a driver (version 0) it complains of
/// the driver's version.
std::string no_device_reason(int driver_version, const std::string& runtime_says);

/// Driver and libraries, which need no GPU.
std::vector<Finding> diagnose_libraries(const CubinCache& cache);

/// Device `index`, which is there: memory, clocks, mode, timing and counters. Runs a kernel.
/// `state` was read before this process had a context.
std::vector<Finding> diagnose_device(int index, const DeviceState& state, const CubinCache& cache);

}  // namespace tilewright
