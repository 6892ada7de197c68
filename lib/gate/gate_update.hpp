// What --update replaces: a run's numbers beside those that the old baseline recorded.
#pragma once

#include "gate/gate.hpp"

namespace tilewright {

/// Turns the verdicts of a run without a baseline into what changes in `before`: Changed or
/// Unchanged where it has the case, New where it has not, and Removed for cases of its own.
/// Verdicts that fail stay. Recorded prices are compared, not those of today's model.
void tell_update(GateRun& run, const Baseline& before, const Baseline& now);

}  // namespace tilewright
