// What is counted of a launch, and what that says.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "search/runner.hpp"

namespace tilewright {

/// Hardware metrics behind Counters, GH100's names: one pass takes all of them.
std::vector<std::string> counter_metrics();

/// Counters from the values of counter_metrics() over a launch, and over it and the sweep that
/// drives its dirty lines out, less the sweep's own.
Counters counters_of(std::span<const double> launch, std::span<const double> swept, int passes);

}  // namespace tilewright
