// The workspace of divided tiles: what a launch allocates in global memory for their parts.
#pragma once

#include <cstdint>

#include "tile/plan/plan.hpp"

namespace tilewright {

/// fp32 sums of the parts, and the counters that parts wait for or increment.
struct PartialStore {
  int64_t tiles = 0;    // tiles of sums, each one CTA's
  int64_t bytes = 0;    // of all sums
  int64_t tickets = 0;  // counters of 4 bytes; sm90: one per warpgroup of a tile
  bool zeroed = false;  // the sums are zero before and after the launch
  bool operator==(const PartialStore&) const = default;

  int64_t ticket_bytes() const { return tickets * int64_t{sizeof(unsigned)}; }
};

/// The workspace of one problem, or of a group's divided problems, as the family's launch needs it.
PartialStore partial_store(const Plan& plan);

inline constexpr int64_t kSumBytes = sizeof(float);

/// Bytes of the sums of one CTA's tile.
int64_t tile_sum_bytes(const Plan& plan);

}  // namespace tilewright
