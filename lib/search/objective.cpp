#include "search/objective.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"
#include "stats/sample.hpp"

namespace tilewright {

Energies measure_energies(Runner& runner, std::vector<const RaceEntry*> entries,
                          const std::function<void(int64_t done, int64_t total)>& listener) {
  constexpr int kTurns = 5;
  constexpr double kSeconds = 0.4;
  Energies energies;
  const int64_t total = kTurns * std::ssize(entries);
  for (int64_t done = 0; done < total;) {
    for (const RaceEntry* const entry : entries) {
      throw_if_interrupted();
      listener(done++, total);
      const EnergyReading reading = runner.measure_energy(entry->contender, kSeconds);
      if (!reading.energy) {
        throw environment_error(format("--objective needs joules: {}", reading.why_not));
      }
      energies[entry->contender.name].push_back(*reading.energy);
    }
    std::reverse(entries.begin(), entries.end());
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
std::vector<double> costs_of(const RaceEntry& entry, Objective objective,
                             const Energies& energies) {
  const double us = objective == Objective::Edp ? median(entry.samples_us) : 1;
  const std::vector<Energy>& turns = energies.at(entry.contender.name);
  std::vector<double> costs;
  costs.reserve(turns.size());
  for (const Energy& energy : turns) costs.push_back(energy.joules * us);
  return costs;
}

double cost_of(const RaceEntry& entry, Objective objective, const Energies& energies) {
  if (objective == Objective::Time) return median(entry.samples_us);
  return median(costs_of(entry, objective, energies));
}

std::vector<const RaceEntry*> least_costly(const std::vector<const RaceEntry*>& entries,
                                           Objective objective, const Energies& energies) {
  const RaceEntry* const least = *std::min_element(
      entries.begin(), entries.end(), [&](const RaceEntry* a, const RaceEntry* b) {
        return cost_of(*a, objective, energies) < cost_of(*b, objective, energies);
      });
  const std::vector<double> least_costs = costs_of(*least, objective, energies);
  std::vector<const RaceEntry*> ties;
  for (const RaceEntry* const entry : entries) {
    constexpr double kConfidence = 0.9;  // of five turns
    const PairedRatio ratio =
        paired_ratio(costs_of(*entry, objective, energies), least_costs, kConfidence);
    if (ratio.ratio <= 1 + kSameCostWithin || ratio.interval.low <= 1) ties.push_back(entry);
  }
  return ties;
}

std::vector<Tie> equal_costs(const std::vector<const RaceEntry*>& entries, const RaceEntry& choice,
                             Objective objective, const Energies& energies) {
  std::vector<Tie> ties;
  for (const RaceEntry* const entry : least_costly(entries, objective, energies)) {
    if (entry == &choice) continue;
    ties.push_back({*entry->contender.config,
                    cost_of(*entry, objective, energies) / cost_of(choice, objective, energies)});
  }
  return ties;
}

}  // namespace tilewright
