#include "search/result.hpp"

#include <iterator>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {

Objective parse_objective(std::string_view text) {
  for (size_t i = 0; i < std::size(kObjectives); ++i) {
    if (kObjectives[i] == text) return static_cast<Objective>(i);
  }
  throw usage_error(format("--objective '{}'{}; it takes {}", text, did_you_mean(text, kObjectives),
                           join_words(kObjectives, "and")));
}

Winner winner_of(const TuneEntry& entry) {
  if (!entry.reference) return Winner::Ours;
  const ReferenceResult& reference = *entry.reference;
  if (entry.objective == Objective::Time || !entry.energy || !reference.energy) {
    return is_faster(reference.ratio) ? Winner::Library : Winner::Ours;
  }
  double cost = reference.energy->joules / entry.energy->joules;
  if (entry.objective == Objective::Edp) cost *= reference.ratio.ratio;
  return cost < 1 - kSameCostWithin ? Winner::Library : Winner::Ours;
}

Timing summarize(const Workload& workload, const RaceEntry& entry) {
  Timing timing;
  timing.median_us = median(entry.samples_us);
  timing.ci_us = median_interval(entry.samples_us);
  timing.sm_mhz = median(entry.sm_mhz);
  timing.watts = median(entry.watts);
  timing.tflops = flops(workload) / timing.median_us / 1e6;
  return timing;
}

}  // namespace tilewright
