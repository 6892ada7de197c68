// The picture of a layout: its coordinates as a grid, the offset in each cell.
#pragma once

#include <optional>
#include <string_view>

#include "draw/scene.hpp"
#include "layout/algebra/composed_layout.hpp"

namespace tilewright {

/// What the colour of a cell stands for: the offset, the bank of the element's first byte, or the
/// thread of that index.
enum class CellColor { Value, Bank, Thread };

/// Parses "value", "bank" or "thread". Throws a usage error.
CellColor parse_cell_color(std::string_view text);

struct LayoutView {
  CellColor color = CellColor::Value;
  int element_bytes = 0;  // 0: unknown, no bytes are shown; required by Bank
  std::optional<IntTuple> element = std::nullopt;  // coordinate or index to outline
};

/// Rank 1 as a bar (folded where long), rank 2 as a grid (mode 0 down, mode 1 right), higher ranks
/// as slices of rank 2. Nested tiles are outlined. Throws a usage error for more cells than a
/// picture holds, and for an element outside the layout.
Scene layout_diagram(const ComposedLayout& layout, const LayoutView& view,
                     const AvailableSize& available = {});

/// Two layouts of one size, side by side or, if wide, one below the other. Both outline
/// the same element, by default the first one with different offsets. Throws like layout_diagram(),
/// and where the sizes differ.
Scene layout_comparison(const ComposedLayout& before, const ComposedLayout& after,
                        const LayoutView& view, const AvailableSize& available = {});

}  // namespace tilewright
