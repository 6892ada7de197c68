// Parts of a layout that a coordinate selects: slices, tiles, and the elements of one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "layout/algebra/layout.hpp"
#include "layout/algebra/tiling.hpp"

namespace tilewright {

/// A coordinate in which modes may be free: an index, a coordinate by mode, or with neither "_".
struct SliceCoordinate {
  std::optional<int64_t> index;
  std::vector<SliceCoordinate> modes;
  bool operator==(const SliceCoordinate&) const = default;
  bool is_free() const { return !index && modes.empty(); }
};

/// True if a mode is "_".
bool has_free_mode(const SliceCoordinate& coordinate);
/// The same coordinate with 0 for each "_".
IntTuple first_coordinate(const SliceCoordinate& coordinate);
/// "(_,(0,_),2)".
std::string to_string(const SliceCoordinate& coordinate);

/// The value of the part's coordinate c is `begin` + layout(c).
struct LayoutPart {
  Layout layout;
  IntTuple begin;
  bool operator==(const LayoutPart&) const = default;
};

/// The free modes, each a mode of the result; those within a nested mode are not nested again.
/// Throws a usage error for a coordinate out of range, or of another number of modes.
LayoutPart slice(const Layout& layout, const SliceCoordinate& coordinate);

/// The tile at a coordinate, or at an index, among the tiles of zipped_divide(); modes of tiles
/// whose coordinate is free follow those of the tile.
LayoutPart local_tile(const Layout& layout, const Tiler& tiler, const SliceCoordinate& coordinate);

/// The element that thread number `index` has in each of the tiles of the size of `threads`, which
/// maps coordinates of a tile to threads: one mode for each mode of the tiles.
LayoutPart local_partition(const Layout& layout, const Layout& threads, int64_t index);

}  // namespace tilewright
