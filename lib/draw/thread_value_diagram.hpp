// The picture of a thread-value layout over the tile that it covers.
#pragma once

#include <cstdint>
#include <string_view>

#include "draw/ownership.hpp"
#include "draw/room.hpp"
#include "draw/scene.hpp"
#include "layout/algebra/composed_layout.hpp"

namespace tilewright {

/// Elements a side: m down, n right.
struct ThreadValueTile {
  int64_t m = 0;
  int64_t n = 0;
};

/// "16x8". Throws a usage error.
ThreadValueTile parse_thread_value_tile(std::string_view text);

/// Mode 0 of `layout` is the thread, mode 1 the value; it maps to m + n * tile.m, as CuTe's atoms
/// do, or with basis strides to (m, n). Elements that several threads or values hold show all of
/// them, elements that none holds are hatched, and what falls outside of the tile is counted.
/// Throws a usage error for other ranks, tiles beyond a picture and threads that do not exist.
Scene thread_value_diagram(const ComposedLayout& layout, ThreadValueTile tile,
                           const OwnershipView& view, const Room& room = {});

}  // namespace tilewright
