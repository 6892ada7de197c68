// What copies to or from a layout in shared memory cost.
#pragma once

#include <string>

#include "layout/algebra/composed_layout.hpp"
#include "layout/smem/tile_access.hpp"

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

}  // namespace tilewright
