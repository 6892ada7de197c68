// tilewright bench behind its command line; tests call these functions with devices of their own.
#pragma once

#include <vector>

#include "base/error.hpp"
#include "bench_request.hpp"
#include "console.hpp"
#include "devices.hpp"
#include "search/bench.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// Throws an environment error where there is no GPU to run --against or --counters on.
void require_measurable(const BenchRequest& request, const ResolvedDevice& device);

/// Runs the configs side by side. Returns Good; No when one did not compile; WrongResult when one
/// computed wrong results (the others are still timed and printed).
ExitCode bench_configs(const BenchRequest& request, const Workload& workload,
                       const ResolvedDevice& device, Console& console);

/// Does the same for foreign kernels. A kernel takes the axis values that its option gives, and the
/// first legal values on its other axes; --config and --against run beside them.
ExitCode bench_harnesses(const BenchRequest& request, const Workload& workload, Console& console);

/// Times the configs at each product of `request.sweep`, each in rounds of its own.
ExitCode sweep_bench(const BenchRequest& request, Console& console);

/// The exit code for a result.
ExitCode code_of(const BenchResult& result);

/// bench over many problems, one table: runs each problem with the artefact's choice, or all with
/// --config. A problem that the artefact lacks runs with the predicted best config, and the table
/// marks it. Exit codes as bench_configs().
ExitCode bench_suite(const BenchRequest& request, const std::vector<Workload>& workloads,
                     const ResolvedDevice& device, Console& console);

}  // namespace tilewright
