// What the order of a foreign kernel's tiles costs in memory traffic: the one thing about it that
// can be foreseen.
#pragma once

#include <optional>

#include "search/runner.hpp"
#include "tile/workload/device_spec.hpp"
#include "tile/workload/problem.hpp"

namespace tilewright {

/// Bytes that DRAM gives of the operands, by the replay of a launch that takes the slots in turn,
/// one CTA a multiprocessor. Nothing where the mapping says nothing, covers no whole grid of the
/// problem, or the device has no L2 that is known.
std::optional<double> foreseen_read_bytes(const ForeignMapping& mapping, const Problem& problem,
                                          const DeviceSpec& device);

}  // namespace tilewright
