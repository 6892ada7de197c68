// What the command line asks of analyze layout and analyze nested, in the library's types.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "draw/thread_value_diagram.hpp"
#include "layout/algebra/derivation.hpp"
#include "layout/algebra/recast.hpp"
#include "layout/smem/tile_pattern.hpp"
#include "layout/text/layout_report.hpp"
#include "request/options.hpp"

namespace tilewright {

/// A copy over the layout: its bank conflicts are counted.
struct RequestedAccess {
  TilePattern pattern;
  std::optional<Layout> threads;  // the thread-value layout of the copy; none: the pattern decides
};

/// The expression is evaluated, and every other text is parsed.
struct LayoutRequest : LayoutSettings {
  LayoutReport report;
  Derivation why;                       // the steps of the expression
  std::optional<int64_t> element_bits;  // none: sizes in elements only
  int element_bytes = 0;                // with `access` and `as_wgmma`
  std::optional<ComposedLayout> equal;  // a layout to compare with
  std::optional<RequestedAccess> access;
};

/// Parses the options once. Throws a usage error for a text that is malformed, and for options that
/// contradict each other.
LayoutRequest read_layout_options(const LayoutOptions& options);

/// The layout that a text names. `tile` becomes the tile that a tiled MMA in it covers, if the
/// layout's elements are those of the tile. Throws a usage error.
ComposedLayout read_drawn_layout(const std::string& text, std::optional<ThreadValueTile>& tile);

/// A copy of a row-major vector by the threads that hold it.
struct NestedCopy {
  AccessOp op;
  int element_bytes = 0;
  MemorySpace space = MemorySpace::Shared;
};

/// A layout that has the shape which the options give.
struct NestedRequest : NestedSettings {
  NestedLayout layout;
  std::optional<NestedCopy> copy;  // to cost
};

/// As read_layout_options().
NestedRequest read_nested_request(const NestedOptions& options);

/// `draw nested`.
struct DrawNestedRequest {
  NestedRequest nested;
  int64_t subgroup = -1;  // its slice of the vector; -1: all
  PictureOptions picture;
};

}  // namespace tilewright
