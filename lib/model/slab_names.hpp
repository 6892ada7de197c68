// Numbers the slabs that a replay reads, for the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/replay_scope.hpp"
#include "model/replay_worker.hpp"

namespace tilewright {

/// Numbers run from 0 to count - 1; the slabs of a line follow each other.
struct SlabNames {
  std::vector<uint32_t> first;  // by line
  uint32_t count = 0;

  uint32_t of(int line, int64_t step) const {
    return first[static_cast<size_t>(line)] + static_cast<uint32_t>(step);
  }
};

/// Numbers the slabs of all lines that the workers read.
SlabNames name_slabs(const ReplayScope& scope, const std::vector<ReplayWorker>& workers);

}  // namespace tilewright
