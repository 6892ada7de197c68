// By which numbers the cache knows the slabs that a replay reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/replay_scope.hpp"
#include "model/replay_worker.hpp"

namespace tilewright {

/// 0 to count - 1, those of a line one after the other.
struct SlabNames {
  std::vector<uint32_t> first;  // by line
  uint32_t count = 0;

  uint32_t of(int line, int64_t step) const {
    return first[static_cast<size_t>(line)] + static_cast<uint32_t>(step);
  }
};

/// Of the lines that the workers read.
SlabNames name_slabs(const ReplayScope& scope, const std::vector<ReplayWorker>& workers);

}  // namespace tilewright
