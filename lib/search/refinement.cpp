#include "search/refinement.hpp"

#include <algorithm>

#include "search/alternatives.hpp"
#include "search/candidates.hpp"
#include "search/choice.hpp"
#include "search/estimate_order.hpp"

namespace tilewright {
namespace {

// The neighbours of the first leaders that are not known yet; after a race of a short list, as many
// of the fastest's as that list was long, by prediction.
std::vector<TileConfig> new_neighbours(SearchState& state, const std::vector<TileConfig>& leaders) {
  const auto race = static_cast<size_t>(state.policy().race);
  const size_t expanded = race > 0 ? 1 : 2;
  std::vector<RankedConfig> found;
  for (size_t i = 0; i < std::min(leaders.size(), expanded); ++i) {
    for (RankedConfig& neighbour :
         neighbours(state.workload(), leaders[i], state.policy().spaces, state.device())) {
      const bool is_new = state.store_prediction(neighbour.config, neighbour.predicted);
      if (is_new && state.meets_requirement(neighbour.config)) found.push_back(neighbour);
    }
  }
  if (race > 0 && found.size() > race) {
    std::stable_sort(found.begin(), found.end(), [](const RankedConfig& a, const RankedConfig& b) {
      return ranks_before(a.predicted, b.predicted);
    });
    found.resize(race);
  }
  std::vector<TileConfig> configs;
  configs.reserve(found.size());
  for (const RankedConfig& neighbour : found) configs.push_back(neighbour.config);
  return configs;
}

// Races the leaders against their neighbours.
Refined race_neighbours(SearchState& state, const std::vector<TileConfig>& leaders,
                        const Enumeration& enumeration) {
  Refined refined{leaders, 0};
  const std::vector<TileConfig> variants = new_neighbours(state, leaders);
  for (const TileConfig& variant : variants) {
    if (!is_enumerated(variant, enumeration)) ++refined.outside;
  }
  if (variants.empty()) return refined;
  refined.leaders =
      state.race_leaders("refine", state.admit_within_budget(leaders, variants), leaders.size());
  return refined;
}

std::vector<TileConfig> schedules_of(const SearchState& state,
                                     const std::vector<TileConfig>& configs) {
  std::vector<TileConfig> all;
  for (const TileConfig& config : configs) {
    for (const TileConfig& other :
         other_schedules(state.workload(), config, state.policy().spaces, state.device())) {
      all.push_back(other);
    }
  }
  return all;
}

// Variants with the same prediction as their configs.
std::vector<TileConfig> unpredicted(SearchState& state, const std::vector<TileConfig>& configs,
                                    decltype(other_evictions)& variants_of) {
  std::vector<TileConfig> all;
  for (const TileConfig& config : configs) {
    for (const TileConfig& variant : variants_of(config, state.policy().spaces)) {
      state.store_prediction(variant, state.predicted_of(config));
      all.push_back(variant);
    }
  }
  return all;
}

// The rasters depend on the grid alone.
std::vector<Raster> rasters_of(const TileConfig& config, const Enumeration& enumeration) {
  for (const LegalKernel& kernel : enumeration.kernels) {
    if (kernel.config.family == config.family && kernel.config.cta == config.cta &&
        kernel.config.cluster == config.cluster && kernel.config.swap_ab == config.swap_ab) {
      return kernel.rasters;
    }
  }
  return {};
}

// Races kernels in several forms. Returns for each of the fastest kernels the plainest forms that
// times do not separate from its fastest, by narrow and by wide tolerances: whatever the noise, the
// form that the confirmation will choose is among those that start the next race.
std::vector<TileConfig> race_forms(SearchState& state, const std::vector<TileConfig>& known,
                                   const std::vector<TileConfig>& variants) {
  constexpr size_t kMaxKernels = 4;
  const Race race = state.run_race("refine", state.admit_within_budget(known, variants), kFormRace);
  std::vector<const RaceEntry*> left = race.racing_by_median();
  std::vector<TileConfig> forms;
  for (size_t kernel = 0; !left.empty() && kernel < kMaxKernels; ++kernel) {
    const auto others =
        std::stable_partition(left.begin(), left.end(),
                              [first = *left.front()->contender.config](const RaceEntry* entry) {
                                return same_kernel(*entry->contender.config, first);
                              });
    const std::vector<const RaceEntry*> entries(left.begin(), others);
    for (const auto& ties : {tie_set(entries, 0.5, 0.0003), tie_set(entries, 0.999, 0),
                             tie_set(entries, 0.99, kFormRace.slack)}) {
      const RaceEntry* const form = plainest(ties, state.workload(), state.device());
      if (!contains(forms, *form->contender.config)) forms.push_back(*form->contender.config);
    }
    left.erase(left.begin(), others);
  }
  return forms;
}

// Races the leaders in other rasters, then the best of those with other L2 requests.
std::vector<TileConfig> race_variants(SearchState& state, const std::vector<TileConfig>& leaders,
                                      const Enumeration& enumeration) {
  constexpr size_t kExpanded = 4;
  std::vector<TileConfig> variants;
  for (size_t i = 0; i < std::min(leaders.size(), kExpanded); ++i) {
    for (const RankedConfig& variant : raster_variants(
             state.workload(), leaders[i], rasters_of(leaders[i], enumeration), state.device())) {
      state.store_prediction(variant.config, variant.predicted);
      variants.push_back(variant.config);
    }
  }
  std::vector<TileConfig> best = race_forms(state, leaders, variants);
  if (is_group(state.workload())) best = race_forms(state, best, schedules_of(state, best));
  best = race_forms(state, best, unpredicted(state, best, other_evictions));
  return race_forms(state, best, unpredicted(state, best, other_promotions));
}

}  // namespace

Refined refine(SearchState& state, const std::vector<TileConfig>& leaders,
               const Enumeration& enumeration) {
  Refined refined{leaders, 0};
  if (!state.is_spent()) refined = race_neighbours(state, leaders, enumeration);
  if (!state.is_spent() && state.policy().race == 0) {
    refined.leaders = race_variants(state, refined.leaders, enumeration);
  }
  return refined;
}

}  // namespace tilewright
