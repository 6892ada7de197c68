// The gate on a GPU: our config and the reference library in the same interleaved rounds.
//
//   verify -> the other kernel -> rounds of the pair -> compare
//                                        ^                |
//                                        +-- once more, if slower
//
//   mode       the other kernel                                     compared with
//   baseline   the baseline's algorithm of the reference library,   the baseline's ratio
//              else the best of 5 rounds of all
//   reference  the best of 5 rounds of all                          1
//   ab         the baseline's config; of a harness its other build  1
//              or its default config
//
// An absolute time drifts between runs, GPUs and clocks by more than any useful threshold; the
// ratio of two kernels timed in alternation does not. So the gate compares the ratio.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gate/gate.hpp"
#include "search/result.hpp"

namespace tilewright {

struct MeasurePolicy {
  GateMode mode = GateMode::Baseline;
  double threshold = 0.01;  // a fraction of the baseline's ratio
  int64_t rounds = 0;       // of a comparison; 0: by the kernels' length, at least 30
  uint64_t seed = 1;        // of the order of rounds
};

/// The highest probability that a run calls any case of a suite slower although none is slower than
/// its threshold allows: Holm's procedure over the cases that the run measured.
inline constexpr double kFalseAlarms = 0.05;

enum class RatioAnswer { NotWorse, Better, Slower, Unclear };

/// Compares a ratio with the baseline's by its interval: Slower if all of it lies below the
/// baseline by more than the threshold, NotWorse if none of it does. If it straddles that limit, it
/// is NotWorse while its half-width is within the threshold, else Unclear. Better lies above by
/// more than the threshold.
RatioAnswer compare_ratio(const PairedRatio& now, double baseline_ratio, double threshold);

/// Half of a ratio's interval, divided by the ratio.
double relative_half_width(const PairedRatio& ratio);

/// Our config of a case as a contender.
Contender ours(const GateCase& gate_case);

/// The verdict if a case's kernel cannot be timed, because it is refused or wrong; else nothing.
std::optional<CaseVerdict> judge_kernel(const GateCase& gate_case, Runner& runner);

/// Judges a case's verified kernel against another one that runs in the same rounds: slower only if
/// fresh rounds confirm it.
CaseVerdict judge_against(const GateCase& gate_case, const Contender& other, Runner& runner,
                          const MeasurePolicy& policy);

/// Makes regressions that chance explains at kFalseAlarms inconclusive: the more cases a suite has,
/// the more likely one looks slower by chance.
void correct_for_suite(std::span<CaseVerdict> verdicts);

/// Times of our kernel and of another one in the same rounds; microseconds.
struct PairTimes {
  std::vector<double> our_us;
  std::vector<double> other_us;
  PairedRatio ratio() const { return paired_ratio(other_us, our_us); }
};

/// Times both in alternation after a warm-up round: `policy.rounds` times, or as often as their
/// length requires and, if they are noisy, up to five times as often. `seed` orders the rounds.
PairTimes time_pair(const Contender& our, const Contender& other, Runner& runner,
                    const MeasurePolicy& policy, uint64_t seed);

/// Runs a suite; without a `baseline` it only measures (and calls a ratio with an interval wider
/// than the threshold inconclusive). A case is slower only if fresh rounds confirm it and chance
/// does not explain it at kFalseAlarms; else it is inconclusive. Throws an environment error if the
/// reference library offers nothing or the baseline was measured by another method, and Interrupted
/// if the run is interrupted. `progress` receives every verdict.
GateRun run_measured_gate(std::span<const GateCase> cases, Runner& runner,
                          const MeasurePolicy& policy, const Baseline* baseline,
                          ProgressListener& progress);

}  // namespace tilewright
