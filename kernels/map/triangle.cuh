// Rank-2K outputs: which tiles of the triangle does slot t compute, and back.
//
// C is square and one triangle of it is computed. Where the CTA tile is not square, r = longer /
// shorter side of it, and r true tiles make a square macro tile; macro tiles are walked row by row:
//
//   lower, 64x32 tiles:   | 0 1 .   .   |     macro (0,0) = tiles 0 1
//                         | 2 3 4 5 .   |     macro (1,0) = 2 3, (1,1) = 4 5
//
// Upper is the same walk with macro row and column exchanged. Slots of padding (ragged macro tiles)
// and, for macro tiles on the diagonal, true tiles off the triangle leave early.
#pragma once

#include "map/raster.cuh"

namespace tw {

/// The computed triangle, its grid in tiles and the CTA tile's sides, of which one divides the
/// other.
struct Triangle {
  bool lower = true;
  TileCoord grid;
  int cta_m = 1;
  int cta_n = 1;
  bool operator==(const Triangle&) const = default;

  /// True tiles of a macro tile.
  constexpr int ratio() const { return cta_m >= cta_n ? cta_m / cta_n : cta_n / cta_m; }
  /// Macro tiles along each side.
  constexpr int macro_extent() const { return cta_m >= cta_n ? grid.m : grid.n; }
};

/// Tiles in the rows above `row` of a lower triangle.
template <class Index>
constexpr Index triangle_size(Index rows) {
  return rows * (rows + 1) / 2;
}

/// The row r with triangle_size(r) <= t < triangle_size(r + 1), found from any guess near it.
template <class Index>
constexpr Index corrected_row(Index t, Index guess) {
  while (triangle_size<Index>(guess) > t) --guess;
  while (triangle_size<Index>(guess + 1) <= t) ++guess;
  return guess;
}

/// The row of slot t, exact for every t below 2^40 with a 64-bit Index.
template <class Index>
constexpr Index triangle_row(Index t) {
  // Newton's iteration from above for the square root of 2 t, in whole numbers.
  if (t == 0) return 0;
  Index root = 1;
  while (root * root < 2 * t) root *= 2;
  for (Index next = (root + 2 * t / root) / 2; next < root; next = (root + 2 * t / root) / 2) {
    root = next;
  }
  return corrected_row(t, root);
}

/// Slots that a launch walks.
template <class Index>
constexpr Index triangle_slots(const Triangle& triangle) {
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

/// The tile of a slot in [0, triangle_slots); is_active says whether it computes anything.
template <class Index>
constexpr TileCoord triangle_tile_at(const Triangle& triangle, Index slot) {
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
