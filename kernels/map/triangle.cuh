// Rank-2K outputs: maps slot t of a launch to a tile of the triangle, and back.
//
// C is square and one triangle of it is computed. Where the CTA tile is not square, r = longer /
// shorter side of it, and r tiles make a square macro tile; macro tiles are walked row by row:
//
//   lower, 64x32 tiles:   | 0 1 .   .   |     macro (0,0) = tiles 0 1
//                         | 2 3 4 5 .   |     macro (1,0) = 2 3, (1,1) = 4 5
//
// Upper is the same walk with macro row and column exchanged. CTAs leave early in slots of padding
// (ragged macro tiles) and, on the diagonal, for tiles outside the triangle.
//
// Bands need no padding and allow tiles of any sides: the rows of tiles are cut into bands, and
// each band is walked column by column, every column from its first tile in the triangle down.
//
//   lower, bands of 2:    | 0 .     |
//                         | 1 2 .   |
//                         | 3 5 7 . |
//                         | 4 6 8 9 |
#pragma once

#include "map/raster.cuh"

namespace tw {

/// The computed triangle: its grid in tiles (of a CTA or of a cluster) and the sides of a tile. One
/// side divides the other where there are no bands.
struct Triangle {
  bool lower = true;
  TileCoord grid;
  int cta_m = 1;
  int cta_n = 1;
  int band = 0;  // rows of tiles of a lower triangle, columns of an upper one; 0: macro tiles
  bool operator==(const Triangle&) const = default;

  /// Tiles per macro tile.
  constexpr int ratio() const { return cta_m >= cta_n ? cta_m / cta_n : cta_n / cta_m; }
  /// Macro tiles along each side.
  constexpr int macro_extent() const { return cta_m >= cta_n ? grid.m : grid.n; }
};

/// For a triangle, a raster's first factor is the band height; 0 without one.
constexpr int band_of(const Raster& raster) {
  return raster.factors[0];
}

/// Tiles in the first `rows` rows of a lower triangle.
template <class Index>
constexpr Index triangle_size(Index rows) {
  return rows * (rows + 1) / 2;
}

/// The row r with triangle_size(r) <= t < triangle_size(r + 1), bit by bit: exact for every t below
/// 2^29, with a 64-bit Index below 2^60. Without division, which takes many clocks on a GPU.
template <class Index>
constexpr Index triangle_row(Index t) {
  Index row = 0;
  constexpr int kTopBit = sizeof(Index) > 4 ? 30 : 14;
  for (int bit = kTopBit; bit >= 0; --bit) {
    const Index next = row + (Index{1} << bit);
    if (triangle_size<Index>(next) <= t) row = next;
  }
  return row;
}

constexpr int greatest_divisor(int a, int b) {
  while (b != 0) {
    const int rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/// A lower triangle in bands. Its macro squares have `high` rows and `wide` columns of tiles.
class BandWalk {
 public:
  constexpr explicit BandWalk(const Triangle& t)
      : grid_(t.lower ? t.grid : transposed(t.grid)),
        band_(t.band),
        high_((t.lower ? t.cta_n : t.cta_m) / greatest_divisor(t.cta_m, t.cta_n)),
        wide_((t.lower ? t.cta_m : t.cta_n) / greatest_divisor(t.cta_m, t.cta_n)) {}

  template <class Index>
  constexpr Index slots() const {
    return tiles_above<Index>(grid_.m - 1) + grid_.n;
  }

  template <class Index>
  constexpr TileCoord tile_at(Index slot) const {
    const int begin = row_of(slot) / band_ * band_;
    const int end = band_end(begin);
    Index within = slot - tiles_above<Index>(begin);
    // All rows of the band reach the first columns.
    const int common = columns(begin);
    const Index in_common = static_cast<Index>(end - begin) * common;
    if (within < in_common) {
      return {begin + static_cast<int>(within % (end - begin)),
              static_cast<int>(within / (end - begin))};
    }
    within -= in_common;
    int column = common;
    for (; within >= end - first_row(column); ++column) within -= end - first_row(column);
    return {first_row(column) + static_cast<int>(within), column};
  }

  template <class Index>
  constexpr Index slot_of(TileCoord tile) const {
    const int begin = tile.m / band_ * band_;
    const int end = band_end(begin);
    const int common = columns(begin);
    const Index before = tiles_above<Index>(begin);
    if (tile.n < common) return before + static_cast<Index>(end - begin) * tile.n + tile.m - begin;
    Index slot = before + static_cast<Index>(end - begin) * common;
    for (int column = common; column < tile.n; ++column) slot += end - first_row(column);
    return slot + tile.m - first_row(tile.n);
  }

 private:
  constexpr int band_end(int begin) const {
    return grid_.m - begin < band_ ? grid_.m : begin + band_;
  }
  /// Tiles in the first `rows` rows of macro row 0.
  constexpr int tiles_of_corner(int rows) const {
    int tiles = 0;
    for (int row = 1; row <= rows; ++row) tiles += (row * wide_ + high_ - 1) / high_;
    return tiles;
  }
  /// Columns of a row in an unbounded grid: only the last row of the grid can have fewer.
  constexpr int columns(int row) const {
    return row / high_ * wide_ + ((row % high_ + 1) * wide_ + high_ - 1) / high_;
  }
  /// The first row that reaches a column.
  constexpr int first_row(int column) const {
    return column / wide_ * high_ + column % wide_ * high_ / wide_;
  }
  /// Tiles of the rows above `row`.
  template <class Index>
  constexpr Index tiles_above(int row) const {
    const Index macro = row / high_;
    const int within = row % high_;
    return above_macro(macro) + within * wide_ * macro + tiles_of_corner(within);
  }
  template <class Index>
  constexpr Index above_macro(Index macro) const {
    const int corner = (high_ * wide_ + high_ + wide_ - 1) / 2;
    return macro * corner + high_ * wide_ * (macro * (macro - 1) / 2);
  }
  template <class Index>
  constexpr int row_of(Index slot) const {
    Index macro = triangle_row<Index>(slot / (high_ * wide_));
    while (above_macro(macro) > slot) --macro;
    while (above_macro<Index>(macro + 1) <= slot) ++macro;
    int row = static_cast<int>(macro) * high_;
    for (slot -= above_macro(macro); slot >= columns(row); ++row) slot -= columns(row);
    return row;
  }

  TileCoord grid_;
  int band_;
  int high_;
  int wide_;
};

/// Slots that a launch walks.
template <class Index>
constexpr Index triangle_slots(const Triangle& triangle) {
  if (triangle.band > 0) return BandWalk(triangle).slots<Index>();
  return triangle_size<Index>(triangle.macro_extent()) * triangle.ratio();
}

/// True where the tile lies in the grid and has an element of the triangle, diagonal included.
constexpr bool is_active(const Triangle& triangle, TileCoord tile) {
  if (!is_inside(triangle.grid, tile)) return false;
  const long long row_begin = static_cast<long long>(tile.m) * triangle.cta_m;
  const long long column_begin = static_cast<long long>(tile.n) * triangle.cta_n;
  return triangle.lower ? row_begin + triangle.cta_m > column_begin
                        : row_begin < column_begin + triangle.cta_n;
}

/// The tile of a slot in [0, triangle_slots); is_active() is true where it computes anything.
template <class Index>
constexpr TileCoord triangle_tile_at(const Triangle& triangle, Index slot) {
  if (triangle.band > 0) {
    const TileCoord tile = BandWalk(triangle).tile_at(slot);
    return triangle.lower ? tile : transposed(tile);
  }
  const int ratio = triangle.ratio();
  const Index macro = slot / ratio;
  const int within = static_cast<int>(slot % ratio);
  const Index row = triangle_row(macro);
  TileCoord tile{static_cast<int>(row), static_cast<int>(macro - triangle_size(row))};
  if (!triangle.lower) tile = transposed(tile);
  if (triangle.cta_m > triangle.cta_n) return {tile.m, tile.n * ratio + within};
  if (triangle.cta_m < triangle.cta_n) return {tile.m * ratio + within, tile.n};
  return tile;
}

/// The slot of an active tile: the inverse of triangle_tile_at.
template <class Index>
constexpr Index triangle_slot_of(const Triangle& triangle, TileCoord tile) {
  if (triangle.band > 0) {
    return BandWalk(triangle).slot_of<Index>(triangle.lower ? tile : transposed(tile));
  }
  const int ratio = triangle.ratio();
  int within = 0;
  if (triangle.cta_m > triangle.cta_n) {
    within = tile.n % ratio;
    tile.n /= ratio;
  } else {
    within = tile.m % ratio;
    tile.m /= ratio;
  }
  if (!triangle.lower) tile = transposed(tile);
  return (triangle_size<Index>(tile.m) + tile.n) * ratio + within;
}

}  // namespace tw
