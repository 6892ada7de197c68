// Launches as values: what the driver gets for a launch, except addresses.
#pragma once

#include <string_view>

namespace tilewright {

/// A one-dimensional grid; a cluster is `cluster_size` neighbouring CTAs.
struct LaunchShape {
  int ctas = 1;
  int threads = 1;
  int cluster_size = 1;
  int smem_bytes = 0;
  /// The kernel may start before its predecessor in the stream ends, and waits for it itself.
  bool programmatic = false;
  /// The CTAs wait for each other: all of them must be resident at once, or the launch fails.
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
