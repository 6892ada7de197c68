// The memory traffic of a foreign kernel, predicted from the order of its tiles; nothing else about
// the kernel can be predicted.
#pragma once

#include <optional>

#include "search/runner.hpp"
#include "tile/workload/device_spec.hpp"
#include "tile/workload/problem.hpp"

namespace tilewright {

/// Bytes of the operands read from DRAM, by the replay of a launch that runs the slots in order,
/// one CTA per multiprocessor. Nothing where there is no mapping, where it does not cover every
/// tile of the problem's grid once, or where the device's L2 is unknown.
std::optional<double> foreseen_read_bytes(const ForeignMapping& mapping, const Problem& problem,
                                          const DeviceSpec& device);

}  // namespace tilewright
