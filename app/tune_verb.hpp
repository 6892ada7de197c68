// tilewright tune, after its words were read: what the tests call with devices of their own.
#pragma once

#include <vector>

#include "base/error.hpp"
#include "console.hpp"
#include "devices.hpp"
#include "options.hpp"
#include "tile/workload/problem.hpp"

namespace tilewright {

/// Tunes each problem in turn; results so far survive an interrupt and a failing problem. Good;
/// No when nothing was legal for some problem; WrongResult when for some problem every kernel that
/// ran was wrong (a wrong kernel beside right ones is reported on stderr and in the artefact, and
/// changes no exit code); Interrupted.
ExitCode tune_problems(const TuneOptions& options, const std::vector<Problem>& problems,
                       const ResolvedDevice& device, Console& console);

}  // namespace tilewright
