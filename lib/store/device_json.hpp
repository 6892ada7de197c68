// A device for machines.
#pragma once

#include <string>

#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// All fields of the spec, `preset` (true when `gpu_index` is -1), the versions' lines of a GPU and
/// why there is none.
std::string device_json(const DeviceSpec& device, int gpu_index, const std::string& versions,
                        const std::string& why_no_gpu);

}  // namespace tilewright
