// Computes the cost of copies to or from a layout in shared or global memory.
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

/// The cost of a pattern over a layout of two modes, or over the first stage of one of three,
/// (rows, columns, stage), with element offsets times `element_bytes`. Pieces are along mode 1, or
/// along mode 0 if a piece's elements are contiguous only there. Throws a usage error if they are
/// contiguous along neither, or if an access is misaligned.
TileCost cost_of_layout(const ComposedLayout& layout, int element_bytes,
                        const TilePattern& pattern);

/// The cost of all warp instructions of a copy. `threads` maps (thread, value) to an index of
/// `layout` in colexicographic order; a warp is 32 consecutive threads, and each instruction moves
/// as many consecutive values as it is wide. Throws a usage error if these are not contiguous.
TileCost cost_of_copy(const ComposedLayout& layout, const Layout& threads, int element_bytes,
                      const AccessOp& op);

/// Units of global memory in which the requests of a warp instruction are counted.
inline constexpr int64_t kSectorBytes = 32;
inline constexpr int64_t kLineBytes = 128;

/// Sums over the requests of one instruction: one request of 32 lanes for up to 4 bytes a lane, two
/// of 16 lanes for 8 bytes, four of 8 lanes for 16 bytes. A byte that several lanes of one request
/// access counts once.
struct Coalescing {
  int64_t requests = 0;  // requests with an active lane
  int64_t sectors = 0;
  int64_t lines = 0;
  int64_t bytes_used = 0;
  int64_t bytes_moved = 0;  // sectors x 32
  double efficiency = 0;    // used over moved, 0 to 1; 1 if nothing moves
  bool operator==(const Coalescing&) const = default;
};

/// Exact counts for ld.* and st.*. Throws a usage error for matrix instructions, which access only
/// shared memory, and like require_aligned().
Coalescing count_sectors(const WarpAccess& access);

/// The sum over the warp instructions of a copy to or from a layout in global memory, the same
/// instructions as in cost_of_copy(). Throws like cost_of_copy() and count_sectors().
Coalescing sectors_of_copy(const ComposedLayout& layout, const Layout& threads, int element_bytes,
                           const AccessOp& op);

}  // namespace tilewright
