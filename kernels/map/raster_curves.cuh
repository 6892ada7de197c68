// Rasters that follow a space-filling curve: Hilbert on any rectangle, and Morton.
#pragma once

#include "map/raster.cuh"

namespace tw {
namespace detail {

// A rectangle that the curve enters at `origin`; the curve advances along one axis and across the
// other. Kept small, so that kernels hold it in registers.
struct CurveBlock {
  TileCoord origin;
  int length = 0;  // tiles along
  int width = 0;   // tiles across
  bool along_n = false;
  bool back_along = false;  // towards smaller coordinates
  bool back_across = false;
};

constexpr void move_origin(CurveBlock& b, bool along_n, bool back, int steps) {
  (along_n ? b.origin.n : b.origin.m) += back ? -steps : steps;
}

constexpr void move_along(CurveBlock& b, int steps) {
  move_origin(b, b.along_n, b.back_along, steps);
}

constexpr void move_across(CurveBlock& b, int steps) {
  move_origin(b, !b.along_n, b.back_across, steps);
}

// The longer axis first, so that the curve ends on it.
constexpr CurveBlock whole_curve(TileCoord grid) {
  const bool along_n = grid.n >= grid.m;
  return {.origin = {},
          .length = along_n ? grid.n : grid.m,
          .width = along_n ? grid.m : grid.n,
          .along_n = along_n};
}

constexpr bool is_line(const CurveBlock& b) {
  return b.length == 1 || b.width == 1;
}

// The tile `steps` into a line.
constexpr TileCoord line_tile(CurveBlock b, int steps) {
  if (b.width == 1) {
    move_along(b, steps);
  } else {
    move_across(b, steps);
  }
  return b.origin;
}

// Long blocks are cut in two, other blocks in three: up the near half, along the far side, down the
// other half. Cuts fall on even extents where possible: the curve cannot leave a block of odd
// extents at its corner without a diagonal step.
//
//      long:  +----+----+      other:  +---------+
//             | 0  | 1  |              |    1    |
//             +----+----+              +----+----+
//                                      | 0  | 2  |
//                                      +----+----+
struct CurveCut {
  bool is_long = false;
  int length = 0;  // of part 0, along
  int width = 0;   // of part 0, across
};

constexpr int even_half(int extent) {
  const int half = extent / 2;
  return half % 2 == 1 && extent > 2 ? half + 1 : half;
}

constexpr CurveCut cut_of(const CurveBlock& b) {
  const bool is_long = b.length - b.width > b.width / 2;
  return is_long ? CurveCut{true, even_half(b.length), b.width}
                 : CurveCut{false, b.length / 2, even_half(b.width)};
}

constexpr void exchange_axes(CurveBlock& b, int length, int width) {
  const bool back_along = b.back_along;
  b.length = width;
  b.width = length;
  b.along_n = !b.along_n;
  b.back_along = b.back_across;
  b.back_across = back_along;
}

// Narrows the block to one of its parts.
constexpr void enter_part(CurveBlock& b, const CurveCut& cut, int part) {
  if (cut.is_long) {
    if (part == 1) move_along(b, cut.length);
    b.length = part == 1 ? b.length - cut.length : cut.length;
  } else if (part == 0) {
    exchange_axes(b, cut.length, cut.width);
  } else if (part == 1) {
    move_across(b, cut.width);
    b.width -= cut.width;
  } else {
    move_along(b, b.length - 1);
    move_across(b, cut.width - 1);
    exchange_axes(b, b.length - cut.length, cut.width);
    b.back_along = !b.back_along;
    b.back_across = !b.back_across;
  }
}

// Tiles in the parts before `part`.
template <class Index>
constexpr Index tiles_before(const CurveBlock& b, const CurveCut& cut, int part) {
  Index tiles = 0;
  if (part > 0) tiles += static_cast<Index>(cut.length) * cut.width;
  if (part > 1) tiles += static_cast<Index>(b.length) * (b.width - cut.width);
  return tiles;
}

template <class Index>
constexpr TileCoord hilbert_at(TileCoord grid, Index slot) {
  CurveBlock block = whole_curve(grid);
  while (!is_line(block)) {
    const CurveCut cut = cut_of(block);
    int part = slot >= tiles_before<Index>(block, cut, 1) ? 1 : 0;
    if (!cut.is_long && slot >= tiles_before<Index>(block, cut, 2)) part = 2;
    slot -= tiles_before<Index>(block, cut, part);
    enter_part(block, cut, part);
  }
  return line_tile(block, static_cast<int>(slot));
}

// Steps from the block's origin to a tile of it, along and across.
constexpr TileCoord steps_to(const CurveBlock& b, TileCoord tile) {
  const int m = tile.m - b.origin.m;
  const int n = tile.n - b.origin.n;
  const int along = b.along_n ? n : m;
  const int across = b.along_n ? m : n;
  return {b.back_along ? -along : along, b.back_across ? -across : across};
}

constexpr int part_with(const CurveCut& cut, TileCoord steps) {
  const bool far = steps.m >= cut.length;
  if (cut.is_long) return far ? 1 : 0;
  if (steps.n >= cut.width) return 1;
  return far ? 2 : 0;
}

template <class Index>
constexpr Index hilbert_slot(TileCoord grid, TileCoord tile) {
  Index slot = 0;
  CurveBlock block = whole_curve(grid);
  while (!is_line(block)) {
    const CurveCut cut = cut_of(block);
    const int part = part_with(cut, steps_to(block, tile));
    slot += tiles_before<Index>(block, cut, part);
    enter_part(block, cut, part);
  }
  const TileCoord steps = steps_to(block, tile);
  return slot + (block.width == 1 ? steps.m : steps.n);
}

// Bits needed for indices 0 to `extent` - 1.
constexpr int index_bits(int extent) {
  int bits = 0;
  while (bits < 31 && (1LL << bits) < extent) ++bits;
  return bits;
}

template <class Index>
constexpr Index morton_slots(TileCoord grid) {
  return static_cast<Index>(1) << (index_bits(grid.m) + index_bits(grid.n));
}

// The low bits of a slot belong to n and m alternately, n first; after the last bit of the shorter
// axis, the rest belong to the longer one.
template <class Index>
constexpr TileCoord morton_at(TileCoord grid, Index slot) {
  const int bits_m = index_bits(grid.m);
  const int bits_n = index_bits(grid.n);
  TileCoord tile;
  for (int bit = 0; bit < bits_m || bit < bits_n; ++bit) {
    if (bit < bits_n) {
      tile.n |= static_cast<int>(slot & 1) << bit;
      slot >>= 1;
    }
    if (bit < bits_m) {
      tile.m |= static_cast<int>(slot & 1) << bit;
      slot >>= 1;
    }
  }
  return tile;
}

template <class Index>
constexpr Index morton_slot(TileCoord grid, TileCoord tile) {
  const int bits_m = index_bits(grid.m);
  const int bits_n = index_bits(grid.n);
  Index slot = 0;
  int place = 0;
  for (int bit = 0; bit < bits_m || bit < bits_n; ++bit) {
    if (bit < bits_n) slot |= static_cast<Index>(tile.n >> bit & 1) << place++;
    if (bit < bits_m) slot |= static_cast<Index>(tile.m >> bit & 1) << place++;
  }
  return slot;
}

}  // namespace detail
}  // namespace tw
