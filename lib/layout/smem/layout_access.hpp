// What copies to or from a layout in shared memory cost.
#pragma once

#include <cstdint>
#include <string>

#include "layout/algebra/composed_layout.hpp"
#include "layout/smem/tile_pattern.hpp"
#include "layout/smem/wavefronts.hpp"

namespace tilewright {

/// A pattern, or the operation of a copy, and its cost.
struct LayoutAccess {
  std::string pattern;
  TileCost cost;
  bool operator==(const LayoutAccess&) const = default;
};

/// A pattern over a rank-2 layout, element offsets times `element_bytes`. Pieces run along mode 1,
/// or along mode 0 where only that one holds a piece's elements side by side. Throws a usage error
/// where neither does, and where an access is misaligned.
TileCost cost_of_layout(const ComposedLayout& layout, int element_bytes,
                        const TilePattern& pattern);

/// Every warp instruction of a copy: `threads` maps (thread, value) to an index of `layout` in
/// colexicographic order; a warp is 32 consecutive threads, and each instruction moves as many
/// consecutive values as it is wide. Throws a usage error where these do not lie side by side.
TileCost cost_of_copy(const ComposedLayout& layout, const Layout& threads, int element_bytes,
                      const AccessOp& op);

/// What the requests of a warp instruction touch in global memory: sectors and lines.
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

/// The sum over the warp instructions of a copy to or from a layout in global memory, which are
/// those of cost_of_copy(). Throws like both.
Coalescing sectors_of_copy(const ComposedLayout& layout, const Layout& threads, int element_bytes,
                           const AccessOp& op);

}  // namespace tilewright
