// tilewright bench over many problems: each with its config of an artefact, one table.
#pragma once

#include <vector>

#include "base/error.hpp"
#include "console.hpp"
#include "devices.hpp"
#include "options.hpp"
#include "tile/workload/problem.hpp"

namespace tilewright {

/// Runs each problem with the artefact's choice, or with --config for all; what the artefact lacks
/// runs with the predicted best, and the table says so. Exit codes as bench_configs().
ExitCode bench_suite(const BenchOptions& options, const std::vector<Problem>& problems,
                     const ResolvedDevice& device, Console& console);

}  // namespace tilewright
