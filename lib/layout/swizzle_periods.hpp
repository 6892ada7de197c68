// What a swizzle does to the rows of a tile: which stay, when the permutation repeats, what it
// leaves of the conflicts down a column.
#pragma once

#include <cstdint>
#include <vector>

#include "layout/swizzle.hpp"
#include "layout/tile_pattern.hpp"

namespace tilewright {

/// Of a row-major tile.
struct SwizzlePeriods {
  std::vector<int64_t> unchanged_rows;  // of the tile
  int64_t row_period = 1;               // rows after which the permutations repeat
  int64_t column_period =
      1;                   // columns after which elements of a row move by the same distance again
  int64_t rows_alike = 1;  // neighbours, in aligned groups, that are permuted alike
  /// Of the n consecutive rows that n vectors of one row, or of 128 bytes where a row is longer,
  /// could serve side by side: the share that meets another one of them when one vector of each is
  /// accessed down a column. 0: no conflicts; 1 - 1/n: no swizzle.
  double conflicts_remaining = 0;
  bool operator==(const SwizzlePeriods&) const = default;
};

/// Exact, by trying every element of one period; `vector` elements move as one. Throws a usage
/// error where a row is no multiple of them, or where a period of the swizzle exceeds 2^22
/// elements.
SwizzlePeriods periods_of(const Swizzle& swizzle, const SharedTile& tile, int64_t vector);

}  // namespace tilewright
