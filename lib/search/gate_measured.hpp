// The gate on a GPU: our config and the reference library in the same interleaved rounds.
//
//   verify -> the reference algorithm -> rounds of the pair -> compare
//             (the baseline's; else the       ^                  |
//             best of 5 rounds of all)        +-- once more, if slower
//
// An absolute time drifts between runs, GPUs and clocks by more than any threshold worth having;
// the ratio of two kernels timed in alternation does not. So the ratio is what is compared.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "search/gate.hpp"
#include "search/progress.hpp"

namespace tilewright {

struct MeasurePolicy {
  double threshold = 0.01;  // a fraction of the baseline's ratio
  int64_t rounds = 0;       // of a comparison; 0: by the kernels' length, at least 30
  uint64_t seed = 1;        // of the order of rounds
  std::function<bool()> interrupted = [] { return false; };
};

enum class RatioAnswer { NotWorse, Better, Slower, Unclear };

/// Compares a ratio with the baseline's by its interval: Slower when all of it lies below the
/// baseline by more than the threshold, NotWorse when none of it does, Unclear when it straddles
/// and is wider than the threshold to either side. Better lies above by more than the threshold.
RatioAnswer compare_ratio(const PairedRatio& now, double baseline_ratio, double threshold);

/// Runs a suite; `baseline` null only takes the numbers (and calls a ratio wider than the threshold
/// inconclusive). Slower counts only when fresh rounds confirm it. Throws an environment error when
/// the reference library offers nothing or the baseline was measured by another method, and
/// Interrupted when the policy says so. `progress` is told every verdict.
GateRun run_measured_gate(std::span<const GateCase> cases, Runner& runner,
                          const MeasurePolicy& policy, const Baseline* baseline,
                          Progress& progress);

}  // namespace tilewright
