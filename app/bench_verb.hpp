// tilewright bench, after its words were read: what the tests call with devices of their own.
#pragma once

#include "base/error.hpp"
#include "console.hpp"
#include "devices.hpp"
#include "options.hpp"
#include "tile/workload/problem.hpp"

namespace tilewright {

/// Throws when --against names nothing known (usage), or there is no GPU to run it on
/// (environment).
void require_known_reference(const BenchOptions& options, const ResolvedDevice& device);

/// Runs the configs side by side. Good; No when one did not compile; WrongResult when one computed
/// wrong results (the others are still timed and printed).
ExitCode bench_configs(const BenchOptions& options, const Problem& problem,
                       const ResolvedDevice& device, Console& console);

}  // namespace tilewright
