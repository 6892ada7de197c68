// The Runner on host memory, for foreign libraries that run on the CPU: a machine without a GPU can
// verify, time and search them.
#pragma once

#include <cstdint>
#include <memory>

#include "search/runner.hpp"

namespace tilewright {

/// A device named "host", without the figures that the model needs.
DeviceSpec host_device();

/// `seed` determines the operands' values.
std::unique_ptr<Runner> make_host_runner(uint64_t seed);

}  // namespace tilewright
