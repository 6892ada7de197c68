// What the counters of a launch's kernels say of the launch as a whole.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "search/runner.hpp"

namespace tilewright {

/// A hardware metric, GH100's name for it. What is counted adds over the kernels of a launch; a
/// rate has a `weight`, the metric it is a rate of, and is averaged by it.
struct LaunchMetric {
  std::string name;
  std::string weight = {};  // empty where values add
};

/// The metrics to collect: the names in order, then each weight once.
std::vector<std::string> collected_metrics(std::span<const LaunchMetric> metrics);

/// The launch's value of each metric, from its kernels' values in the order of
/// collected_metrics(). A launch of one kernel has that kernel's values; a rate of nothing is 0.
std::vector<double> combine_kernels(std::span<const LaunchMetric> metrics,
                                    std::span<const std::vector<double>> kernels);

/// The metrics of Counters, in the order of counters_of().
std::vector<LaunchMetric> counter_metrics();

/// Counters from the values of counter_metrics().
Counters counters_of(std::span<const double> values, int passes);

}  // namespace tilewright
