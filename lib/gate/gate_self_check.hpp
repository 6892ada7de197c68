// Is the gate itself alive? Equal things must pass, and slower ones that are made up must not.
#pragma once

#include <functional>
#include <span>

#include "gate/gate.hpp"
#include "gate/gate_measured.hpp"
#include "search/result.hpp"

namespace tilewright {

/// What a baseline is after it was written to a file and read back.
using ThroughFile = std::function<Baseline(const Baseline&)>;

/// Runs the static gate against a baseline of its own, which went through a file: equal numbers
/// must pass; every number made worse must fail, by another walk as a regression that names it, by
/// the same walk as a changed model. A verdict that is wrong is a regression. Kernels are not
/// compiled: registers and spills are made up.
GateRun self_check_static(std::span<const GateCase> cases, const DeviceSpec& device,
                          double threshold, const ThroughFile& through_file, Progress& progress);

/// Times every case's kernel against itself: a difference beyond the threshold is a regression, an
/// interval wider than it, or a slowdown of twice the threshold that would not be found, is
/// inconclusive. `noise_pct` and `detectable_pct` among the numbers say what this machine can tell.
GateRun self_check_measured(std::span<const GateCase> cases, Runner& runner,
                            const MeasurePolicy& policy, Progress& progress);

/// What --update replaces: a run's numbers beside those that the old baseline recorded. Turns the
/// verdicts of a run without a baseline into what changes in `before`: Changed or Unchanged where
/// it has the case, New where it has not, and Removed for cases of its own. Verdicts that fail
/// stay. Recorded prices are compared, not those of today's model.
void tell_update(GateRun& run, const Baseline& before, const Baseline& now);

}  // namespace tilewright
