// What one warp instruction costs in global memory: the 32-byte sectors and 128-byte lines that its
// requests touch.
#pragma once

#include <cstdint>

#include "layout/smem/wavefronts.hpp"

namespace tilewright {

inline constexpr int64_t kSectorBytes = 32;
inline constexpr int64_t kLineBytes = 128;

/// Sums over the requests of one instruction: one of 32 lanes up to 4 bytes a lane, two of 16 lanes
/// for 8 bytes, four of 8 lanes for 16 bytes. A byte that lanes of one request share counts once.
struct Coalescing {
  int64_t requests = 0;  // with an active lane
  int64_t sectors = 0;
  int64_t lines = 0;
  int64_t bytes_used = 0;
  int64_t bytes_moved = 0;  // sectors x 32
  double efficiency = 0;    // used over moved, 0 to 1; 1 when nothing moves
  bool operator==(const Coalescing&) const = default;
};

/// Exact counts for ld.* and st.*. Throws a usage error for matrix instructions, which read shared
/// memory only, and like require_aligned.
Coalescing count_sectors(const WarpAccess& access);

}  // namespace tilewright
