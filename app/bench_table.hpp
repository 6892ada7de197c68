// What `bench` prints: for people, and as comma-separated values.
#pragma once

#include <string>

#include "search/bench.hpp"

namespace tilewright {

/// Configs side by side: what was asked for, what all rows share, the table, and what the ratio is
/// of; `width` as for Table.
std::string bench_report(const BenchResult& result, const DeviceSpec& device, bool predicted,
                         int width);
std::string bench_csv(const BenchResult& result, bool predicted);

/// One config a problem, a row each.
std::string suite_report(const SuiteBench& suite, const DeviceSpec& device, int width);
std::string suite_csv(const SuiteBench& suite, const DeviceSpec& device);

}  // namespace tilewright
