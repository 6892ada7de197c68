// The picture of a thread-value layout over the tile that it covers.
#pragma once

#include <cstdint>
#include <string_view>

#include "draw/ownership.hpp"
#include "draw/scene.hpp"
#include "layout/algebra/composed_layout.hpp"

namespace tilewright {

/// Extents in elements: m down, n right.
struct ThreadValueTile {
  int64_t m = 0;
  int64_t n = 0;
};

/// Parses "16x8". Throws a usage error.
ThreadValueTile parse_thread_value_tile(std::string_view text);

/// Mode 0 of `layout` is the thread, mode 1 the value. It maps to m + n * tile.m, like CuTe's
/// atoms, or with basis strides to (m, n). An element held by several threads or values shows all
/// of them. Elements without a holder are hatched, and thread-values outside of the tile are
/// counted. Throws a usage error for other ranks, tiles too large for a picture and threads that do
/// not exist.
Scene thread_value_diagram(const ComposedLayout& layout, ThreadValueTile tile,
                           const OwnershipView& view, const AvailableSize& available = {});

}  // namespace tilewright
