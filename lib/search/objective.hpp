// What a search minimizes, if that is not time alone.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "search/race.hpp"
#include "search/result.hpp"

namespace tilewright {

/// The energies of a launch in each of several turns, by contender.
using Energies = std::map<std::string, std::vector<Energy>>;

/// Measures all entries' contenders in turns, alternately forward and backward, because the device
/// warms up meanwhile. Throws an environment error if the device counts no energy.
Energies measure_energies(Runner& runner, std::vector<const RaceEntry*> entries,
                          const std::function<void(int64_t done, int64_t total)>& listener);

/// Median microseconds, joules, or their product; `energies` holds the entry's unless it is Time.
double cost_of(const RaceEntry& entry, Objective objective, const Energies& energies);

/// The reading with the median joules.
Energy median_energy(const std::vector<Energy>& turns);

/// The cheapest entry, and those within a hundredth of it or that the turns do not separate from
/// it, in the given order.
std::vector<const RaceEntry*> least_costly(const std::vector<const RaceEntry*>& entries,
                                           Objective objective, const Energies& energies);

/// The other configs of least_costly(), with their costs divided by the choice's.
std::vector<Tie> equal_costs(const std::vector<const RaceEntry*>& entries, const RaceEntry& choice,
                             Objective objective, const Energies& energies);

}  // namespace tilewright
