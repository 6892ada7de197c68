// Problems dealt to those who tune them, so that all are done at about the same time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tile/workload/device_spec.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// Seconds that a search for the workload should take, compilers and confirmation included: good
/// for comparing searches, no promise.
double tuning_seconds(const Workload& workload, const DeviceSpec& device);

/// Places of `seconds`, the longest first; of equal ones the earlier first.
std::vector<size_t> longest_first(std::span<const double> seconds);

/// Who of `takers` gets each place: the longest first, each to who has least so far, of equal ones
/// to the lower number. A function of its arguments alone, so that processes which never talk to
/// each other agree.
std::vector<int64_t> deal(std::span<const double> seconds, int64_t takers);

}  // namespace tilewright
