// Where the parts of divided tiles lie in global memory: what a launch allocates for them.
#pragma once

#include <cstdint>

#include "tile/plan/plan.hpp"

namespace tilewright {

/// Sums of parts, fp32, and the counters that parts wait for or arrive at.
struct PartialStore {
  int64_t tiles = 0;    // of a CTA, whose sums are kept
  int64_t bytes = 0;    // of all sums
  int64_t turns = 0;    // counters of 4 bytes; sm90: one a warpgroup of a tile
  bool zeroed = false;  // the sums begin and end as zeros
  bool operator==(const PartialStore&) const = default;

  int64_t turn_bytes() const { return turns * int64_t{sizeof(unsigned)}; }
};

/// Of one problem, or of the problems of a group that are divided; as the family's launch has it.
PartialStore partial_store(const Plan& plan);

inline constexpr int64_t kSumBytes = sizeof(float);

/// Bytes of the sums of one CTA's tile.
int64_t tile_sum_bytes(const Plan& plan);

}  // namespace tilewright
