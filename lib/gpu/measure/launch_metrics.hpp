// The hardware metrics counted over a launch, and the Counters computed from them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "search/runner.hpp"

namespace tilewright {

/// The hardware metrics that Counters needs, by GH100's names: one pass collects all of them.
std::vector<std::string> counter_metrics();

/// Computes Counters from values of counter_metrics(): `launch` over the launch alone, `swept` over
/// the launch and the sweep that evicts its dirty lines, less the sweep's own.
Counters counters_of(std::span<const double> launch, std::span<const double> swept, int passes);

}  // namespace tilewright
