// Checks the gate itself: equal numbers must pass, and numbers that are made worse must not.
#pragma once

#include <functional>
#include <span>

#include "gate/gate.hpp"
#include "gate/gate_measured.hpp"
#include "search/result.hpp"

namespace tilewright {

/// Writes a baseline to a file and reads it back.
using ThroughFile = std::function<Baseline(const Baseline&)>;

/// Runs the static gate against its own baseline, written to a file and read back. Equal numbers
/// must pass. Every number made worse must fail: with another walk as a regression of that number,
/// with the same walk as a changed model. A wrong verdict is a regression. Nothing is compiled:
/// registers and spills are made up.
GateRun self_check_static(std::span<const GateCase> cases, const DeviceSpec& device,
                          double threshold, const ThroughFile& through_file,
                          ProgressListener& progress);

/// Times every case's kernel against itself: a difference beyond the threshold is a regression; an
/// interval wider than it, or a slowdown of twice the threshold that would not be found, is
/// inconclusive. `noise_pct` and `detectable_pct` show what this machine can detect.
GateRun self_check_measured(std::span<const GateCase> cases, Runner& runner,
                            const MeasurePolicy& policy, ProgressListener& progress);

/// Compares a run's numbers with those of the old baseline that --update replaces. Turns the
/// verdicts of a run without a baseline into changes of `before`: Changed or Unchanged for its
/// cases, New for others, and Removed for cases that only it has. Verdicts that fail stay. Recorded
/// prices are compared, not those of today's model.
void report_update(GateRun& run, const Baseline& before, const Baseline& now);

}  // namespace tilewright
