// What a swizzle does to the rows of a tile: which stay, which are alike, when the permutation
// repeats.
#pragma once

#include <cstdint>
#include <vector>

#include "layout/algebra/swizzle.hpp"
#include "layout/smem/tile_pattern.hpp"

namespace tilewright {

/// Of a row-major tile.
struct SwizzlePeriods {
  std::vector<int64_t> unchanged_rows;  // of the tile
  int64_t row_period = 1;               // rows after which the permutations repeat
  int64_t column_period =
      1;                   // columns after which elements of a row move by the same distance again
  int64_t rows_alike = 1;  // neighbours, in aligned groups, that are permuted alike
  bool operator==(const SwizzlePeriods&) const = default;
};

/// Exact, by trying every element of one period. Throws a usage error where a period of the swizzle
/// exceeds 2^22 elements.
SwizzlePeriods periods_of(const Swizzle& swizzle, const SharedTile& tile);

}  // namespace tilewright
