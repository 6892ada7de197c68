// Other schedules of a group: the order of its problems, and how CTAs find the next unit.
#pragma once

#include <vector>

#include "search/confirmation.hpp"
#include "search/result.hpp"
#include "search/space.hpp"
#include "tile/workload/device_spec.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// A group's config with the other schedules and problem orders that the spaces try, each legal and
/// each a different launch; without `config` itself. Empty for other workloads.
std::vector<TileConfig> other_schedules(const Workload& workload, const TileConfig& config,
                                        const std::vector<SearchSpace>& spaces,
                                        const DeviceSpec& device);

/// One alternative for every other value of a key of the choice's schedule, and one with whole
/// tiles if the choice divides them. Only alternatives that launch the same have a time.
std::vector<Alternative> schedule_alternatives(const Workload& workload, const TileConfig& choice,
                                               const std::vector<SearchSpace>& spaces,
                                               const DeviceSpec& device);

/// The alternatives that launch differently; these run beside the choice.
std::vector<TileConfig> configs_of(const std::vector<Alternative>& alternatives);

/// The same with ratios from the rounds that reported the choice; leaves out lost launches.
std::vector<Alternative> timed(std::vector<Alternative> alternatives,
                               const Confirmation& confirmation);

}  // namespace tilewright
