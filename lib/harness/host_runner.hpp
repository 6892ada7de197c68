// The Runner on host memory: libraries of others that run on the CPU, so that a machine without a
// GPU verifies, times and searches them.
#pragma once

#include <cstdint>
#include <memory>

#include "search/runner.hpp"

namespace tilewright {

/// A device by the name "host", which the model knows nothing of.
DeviceSpec host_device();

/// Operands are drawn from `seed`.
std::unique_ptr<Runner> make_host_runner(uint64_t seed);

}  // namespace tilewright
