#include "search/objective.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"
#include "stats/sample.hpp"

namespace tilewright {

Energies measure_energies(Runner& runner, std::vector<const Lane*> lanes,
                          const std::function<void(int64_t done, int64_t total)>& listener) {
  constexpr int kTurns = 5;
  constexpr double kSeconds = 0.4;
  Energies energies;
  const int64_t total = kTurns * std::ssize(lanes);
  for (int64_t done = 0; done < total;) {
    for (const Lane* const lane : lanes) {
      throw_if_interrupted();
      listener(done++, total);
      const EnergyReading reading = runner.measure_energy(lane->contender, kSeconds);
      if (!reading.energy) {
        throw environment_error(format("--objective needs joules: {}", reading.why_not));
      }
      energies[lane->contender.name].push_back(*reading.energy);
    }
    std::reverse(lanes.begin(), lanes.end());
  }
  return energies;
}

Energy median_energy(const std::vector<Energy>& turns) {
  std::vector<Energy> sorted = turns;
  std::sort(sorted.begin(), sorted.end(),
            [](const Energy& a, const Energy& b) { return a.joules < b.joules; });
  return sorted[sorted.size() / 2];
}

// One cost per turn.
std::vector<double> costs_of(const Lane& lane, Objective objective, const Energies& energies) {
  const double us = objective == Objective::Edp ? median(lane.samples_us) : 1;
  const std::vector<Energy>& turns = energies.at(lane.contender.name);
  std::vector<double> costs;
  costs.reserve(turns.size());
  for (const Energy& energy : turns) costs.push_back(energy.joules * us);
  return costs;
}

double cost_of(const Lane& lane, Objective objective, const Energies& energies) {
  if (objective == Objective::Time) return median(lane.samples_us);
  return median(costs_of(lane, objective, energies));
}

std::vector<const Lane*> least_costly(const std::vector<const Lane*>& lanes, Objective objective,
                                      const Energies& energies) {
  const Lane* const least =
      *std::min_element(lanes.begin(), lanes.end(), [&](const Lane* a, const Lane* b) {
        return cost_of(*a, objective, energies) < cost_of(*b, objective, energies);
      });
  const std::vector<double> least_costs = costs_of(*least, objective, energies);
  std::vector<const Lane*> ties;
  for (const Lane* const lane : lanes) {
    constexpr double kConfidence = 0.9;  // of five turns
    const PairedRatio ratio =
        paired_ratio(costs_of(*lane, objective, energies), least_costs, kConfidence);
    if (ratio.ratio <= 1 + kSameCostWithin || ratio.interval.low <= 1) ties.push_back(lane);
  }
  return ties;
}

std::vector<Tie> equal_costs(const std::vector<const Lane*>& lanes, const Lane& choice,
                             Objective objective, const Energies& energies) {
  std::vector<Tie> ties;
  for (const Lane* const lane : least_costly(lanes, objective, energies)) {
    if (lane == &choice) continue;
    ties.push_back({*lane->contender.config,
                    cost_of(*lane, objective, energies) / cost_of(choice, objective, energies)});
  }
  return ties;
}

}  // namespace tilewright
