// How kernels are launched, as values: what a launch hands to the driver beside addresses.
#pragma once

#include <string_view>

namespace tilewright {

/// How to launch: CTAs in a row, clusters of neighbours.
struct LaunchShape {
  int ctas = 1;
  int threads = 1;
  int cluster_size = 1;
  int smem_bytes = 0;
  /// The kernel starts before the one ahead of it in the stream ends, and waits for that itself.
  bool programmatic = false;
  /// The CTAs wait for each other: all of them are resident at once, or the launch fails.
  bool cooperative = false;
  bool operator==(const LaunchShape&) const = default;
};

/// One kernel of a launch, by the name of its function.
struct LaunchStep {
  std::string_view kernel;
  LaunchShape shape;
  bool operator==(const LaunchStep&) const = default;
};

}  // namespace tilewright
