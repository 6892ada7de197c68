// tilewright bench behind its command line; tests call these functions with devices of their own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "console.hpp"
#include "devices.hpp"
#include "options.hpp"
#include "search/bench.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// The values of --against.
std::vector<std::string_view> reference_library_names();

/// Throws a usage error when --against names no known library, and an environment error when there
/// is no GPU to run it, or --counters, on.
void require_measurable(const BenchOptions& options, const ResolvedDevice& device);

/// Runs the configs side by side. Returns Good; No when one did not compile; WrongResult when one
/// computed wrong results (the others are still timed and printed).
ExitCode bench_configs(const BenchOptions& options, const Workload& workload,
                       const ResolvedDevice& device, Console& console);

/// Does the same for foreign kernels. A kernel takes the axis values that its option gives, and the
/// first legal values on its other axes; --config and --against run beside them.
ExitCode bench_harnesses(const BenchOptions& options, const Workload& workload, Console& console);

/// The policy for these options, and the exit code for a result.
BenchPolicy policy_of(const BenchOptions& options);
ExitCode code_of(const BenchResult& result);

/// bench over many problems, one table: runs each problem with the artefact's choice, or all with
/// --config. A problem that the artefact lacks runs with the predicted best config, and the table
/// marks it. Exit codes as bench_configs().
ExitCode bench_suite(const BenchOptions& options, const std::vector<Workload>& workloads,
                     const ResolvedDevice& device, Console& console);

}  // namespace tilewright
