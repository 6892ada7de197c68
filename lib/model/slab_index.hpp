// Numbers the slabs that a replay reads, for the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/replay_scope.hpp"
#include "model/replay_worker.hpp"

namespace tilewright {

/// Numbers run from 0 to count - 1; the slabs of a panel follow each other.
struct SlabIndex {
  std::vector<uint32_t> first;  // by panel
  uint32_t count = 0;

  uint32_t at(int panel, int64_t step) const {
    return first[static_cast<size_t>(panel)] + static_cast<uint32_t>(step);
  }
};

/// Numbers the slabs of all panels that the workers read.
SlabIndex index_slabs(const ReplayScope& scope, const std::vector<ReplayWorker>& workers);

}  // namespace tilewright
