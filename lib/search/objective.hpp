// What a search is to make least, where that is not the time alone.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "search/race.hpp"
#include "search/result.hpp"

namespace tilewright {

/// What launches took in each of several turns, by contender.
using Energies = std::map<std::string, std::vector<Energy>>;

/// All lanes' contenders in turns, forth and back: the device warms up under them. Throws an
/// environment error where it counts no energy.
Energies measure_energies(Runner& runner, std::vector<const Lane*> lanes,
                          const std::function<void(int64_t done, int64_t total)>& listener);

/// Median microseconds, joules, or their product; `energies` holds the lane's unless it is Time.
double cost_of(const Lane& lane, Objective objective, const Energies& energies);

/// The turn of the median joules.
Energy median_energy(const std::vector<Energy>& turns);

/// The lane that costs least and those within a hundredth of it, or that turns do not tell from it,
/// in the given order.
std::vector<const Lane*> least_costly(const std::vector<const Lane*>& lanes, Objective objective,
                                      const Energies& energies);

/// The configs of the others of those, with their costs over the choice's.
std::vector<Tie> equal_costs(const std::vector<const Lane*>& lanes, const Lane& choice,
                             Objective objective, const Energies& energies);

}  // namespace tilewright
