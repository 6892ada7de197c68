// tilewright bench, after its words were read: what the tests call with devices of their own.
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

/// What --against takes.
std::vector<std::string_view> reference_library_names();

/// Throws when --against names nothing known (usage), or there is no GPU to run it, or --counters,
/// on (environment).
void require_measurable(const BenchOptions& options, const ResolvedDevice& device);

/// Runs the configs side by side. Good; No when one did not compile; WrongResult when one computed
/// wrong results (the others are still timed and printed).
ExitCode bench_configs(const BenchOptions& options, const Workload& workload,
                       const ResolvedDevice& device, Console& console);

/// The same of kernels of others, each with the values that its option gives and the first legal
/// ones of its other axes; --config and --against run beside them.
ExitCode bench_harnesses(const BenchOptions& options, const Workload& workload, Console& console);

/// How a bench of such options runs, and what it answers.
BenchPolicy policy_of(const BenchOptions& options);
ExitCode code_of(const BenchResult& result);

/// bench over many problems, one table: runs each problem with the artefact's choice, or with
/// --config for all; what the artefact lacks runs with the predicted best, and the table says so.
/// Exit codes as bench_configs().
ExitCode bench_suite(const BenchOptions& options, const std::vector<Workload>& workloads,
                     const ResolvedDevice& device, Console& console);

}  // namespace tilewright
