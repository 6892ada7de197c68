// Where a launch's CTAs run: on which side of the L2 cache, and how fast.
#pragma once

#include <cstdint>
#include <vector>

#include "tile/workload/device_spec.hpp"

namespace tilewright {

struct Placement {
  int gpc = 0;               // of multiprocessors (GPC), 0 to kGpcCount - 1
  int partition = 0;         // of L2
  double relative_time = 1;  // time of a main loop over the mean time
  bool operator==(const Placement&) const = default;
};

/// Placements of clusters of `cluster_size` CTAs in launch order, as many as the device holds at
/// once. CTAs alone fill one GPC after the other; clusters are scattered
/// over the GPCs.
std::vector<Placement> placements(const DeviceSpec& device, int64_t clusters_at_once,
                                  int cluster_size);

}  // namespace tilewright
