// What the schedule of a group buys: its problems' order, and who finds the next unit.
#pragma once

#include <vector>

#include "search/confirmation.hpp"
#include "search/result.hpp"
#include "search/space.hpp"
#include "tile/workload/device_spec.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// A config of a group with other schedules and orders of its problems that the spaces try, each
/// legal and a launch of its own; `config` itself is not among them. Nothing of other workloads.
std::vector<TileConfig> other_schedules(const Workload& workload, const TileConfig& config,
                                        const std::vector<SearchSpace>& spaces,
                                        const DeviceSpec& device);

/// One for every other value of a key of the choice's schedule, and one with whole tiles where the
/// choice computes them in parts, without times but where it launches the same.
std::vector<Alternative> schedule_alternatives(const Workload& workload, const TileConfig& choice,
                                               const std::vector<SearchSpace>& spaces,
                                               const DeviceSpec& device);

/// Those that launch otherwise: who is to run beside the choice.
std::vector<TileConfig> configs_of(const std::vector<Alternative>& alternatives);

/// The same with the ratios of the rounds that reported the choice; without those that were lost.
std::vector<Alternative> timed(std::vector<Alternative> alternatives,
                               const Confirmation& confirmation);

}  // namespace tilewright
