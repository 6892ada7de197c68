// Assigns problems to several tuners, so that all finish at about the same time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tile/workload/device_spec.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// Seconds that a search for the workload should take, compilers and confirmation included: exact
/// enough to compare searches.
double tuning_seconds(const Workload& workload, const DeviceSpec& device);

/// Indices into `seconds`, the longest first; among equals the earlier first.
std::vector<size_t> longest_first(std::span<const double> seconds);

/// The tuner of each problem, from 0 to `tuner_count` - 1: the longest problem goes first, each to
/// the tuner with the least so far, among equals to the lower number. Depends on its arguments
/// alone, so that processes agree without communicating.
std::vector<int64_t> assign_problems(std::span<const double> seconds, int64_t tuner_count);

}  // namespace tilewright
