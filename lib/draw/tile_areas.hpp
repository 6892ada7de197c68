// Equal neighbours merged into rectangles, so that a picture of many tiles stays small.
#pragma once

#include <span>
#include <vector>

namespace tilewright {

/// rows x columns tiles from (m, n) that all hold `value`.
struct TileArea {
  int value = 0;
  int m = 0;
  int n = 0;
  int rows = 0;
  int columns = 0;
  bool operator==(const TileArea&) const = default;
};

/// Covers the row-major `values` (a multiple of `columns` long) by areas that do not overlap,
/// ordered by value, then by place.
std::vector<TileArea> merge_areas(std::span<const int> values, int columns);

}  // namespace tilewright
