// What a baseline remembers of the code that dealt out and priced its cases.
#pragma once

#include <string>

#include "tile/plan/plan.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// 32 hexadecimal digits of everything that the CTAs of a plan take, in the order in which each
/// takes it: problem, tile, k range, and whether the unit computes. Equal for equal walks, however
/// the code that deals them out is written.
std::string walk_digest(const Plan& plan);

/// 32 hexadecimal digits of the times and bytes that the model gives a fixed set of walks on a
/// device. The walks are stored as lists of tiles, so no mapping function has a part in them: the
/// digest changes with the model and with the device's rates alone. Prices count to 9 digits.
std::string price_digest(const DeviceSpec& device);

}  // namespace tilewright
