// Digests by which a baseline recognizes the code that dealt out and priced its cases.
#pragma once

#include <string>

#include "tile/plan/plan.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// 32 hexadecimal digits of all units that the CTAs of a plan take, in each CTA's order: problem,
/// tile, k range, and whether the unit computes. Equal walks have equal digests, however the code
/// that deals them out is written.
std::string walk_digest(const Plan& plan);

/// 32 hexadecimal digits of the times and bytes that the model predicts for a fixed set of walks on
/// a device. The walks are stored as lists of tiles, independent of mapping functions: the digest
/// changes only with the model and the device's rates. Prices count to 9 digits.
std::string price_digest(const DeviceSpec& device);

}  // namespace tilewright
