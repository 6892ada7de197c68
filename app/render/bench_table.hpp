// The answers of `bench`: a table for people, comma-separated values and JSON.
#pragma once

#include "render/report.hpp"
#include "search/bench.hpp"

namespace tilewright {

/// The header lines, what all configs share, a table with one row per config, and a line that
/// explains the ratio.
Report bench_report(const BenchResult& result, const DeviceSpec& device, bool predicted);

/// The same for a suite: one config per problem, one row each; nothing without results.
Report suite_report(const SuiteBench& suite, const DeviceSpec& device);

}  // namespace tilewright
