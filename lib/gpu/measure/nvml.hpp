// NVIDIA's management library: what a GPU is doing beside the work it is given.
#pragma once

#include <string>

#include "gate/device_prober.hpp"

namespace tilewright {

/// `uuid` as Backend::device_uuid() has it. The library comes with the driver and is opened at run
/// time; where it is missing or does not know the GPU, `why_not` says so.
DeviceState read_device_state(const std::string& uuid);

}  // namespace tilewright
