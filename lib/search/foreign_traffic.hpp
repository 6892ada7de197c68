// The memory traffic of a foreign kernel, predicted from the order of its tiles, and the least time
// that follows from it and from what its CTAs occupy; nothing else about the kernel can be
// predicted.
#pragma once

#include <cstdint>
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

/// Bytes of shared memory of the CTAs that one multiprocessor runs at once, 0 where the mapping
/// says nothing of a CTA: as many CTAs as threads, registers and shared memory allow, and as it has
/// tiles.
int64_t resident_shared_bytes(const ForeignMapping& mapping, const DeviceSpec& device);

/// Microseconds below which no launch with this mapping stays at the device's sustained rates: the
/// larger of the time of foreseen_read_bytes() and the time of the multiprocessor with most tiles,
/// for each of which it multiplies on tensor cores and gets its operands through L2. Operands on
/// their way lie in shared memory, so at most resident_shared_bytes() arrive in the time of one
/// copy (Little's law). Nothing where there are no read bytes, or where a rate is unknown.
std::optional<double> foreseen_least_us(const ForeignMapping& mapping, const Problem& problem,
                                        const DeviceSpec& device);

}  // namespace tilewright
