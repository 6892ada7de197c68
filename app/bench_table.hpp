// The output of `bench`: tables for people, and comma-separated values.
#pragma once

#include <string>

#include "search/bench.hpp"

namespace tilewright {

/// The header lines, what all configs share, a table with one row per config, and a line that
/// explains the ratio. `width` is as in Table.
std::string bench_report(const BenchResult& result, const DeviceSpec& device, bool predicted,
                         int width);
std::string bench_csv(const BenchResult& result, bool predicted);

/// Suites: one config per problem, one row each.
std::string suite_report(const SuiteBench& suite, const DeviceSpec& device, int width);
std::string suite_csv(const SuiteBench& suite, const DeviceSpec& device);

}  // namespace tilewright
