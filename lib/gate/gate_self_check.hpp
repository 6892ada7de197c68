// Is the gate itself alive? Equal things must pass, and slower ones that are made up must not.
#pragma once

#include <span>

#include "gate/gate_measured.hpp"
#include "search/progress.hpp"

namespace tilewright {

/// Judges every case's exact numbers against themselves, and each number made worse against them.
/// A verdict that is wrong is a regression.
GateRun self_check_static(std::span<const GateCase> cases, const DeviceSpec& device,
                          double threshold, Progress& progress);

/// Times every case's kernel against itself: a difference beyond the threshold is a regression, an
/// interval wider than it, or a slowdown of twice the threshold that would not be found, is
/// inconclusive. `noise_pct` and `detectable_pct` among the numbers say what this machine can tell.
GateRun self_check_measured(std::span<const GateCase> cases, Runner& runner,
                            const MeasurePolicy& policy, Progress& progress);

}  // namespace tilewright
