#include <doctest/doctest.h>

#include "base/error.hpp"
#include "layout/smem/swizzle_report.hpp"

namespace tilewright {
namespace {

using Rows = std::vector<int64_t>;

SwizzlePeriods periods(const char* tile, const char* dtype, Swizzle swizzle) {
  return periods_of(swizzle, parse_shared_tile(tile, dtype));
}

// (32,16):(16,1), the published example.
TEST_CASE("a 32x16 tile under three swizzles") {
  const SwizzlePeriods full = periods("32x16", "f32", {4, 0, 4});
  CHECK(full.unchanged_rows == Rows{0, 16});
  CHECK(full.row_period == 16);
  CHECK(full.column_period == 16);
  CHECK(full.rows_alike == 1);
  // One bit less of the row number: unchanged rows are twice as frequent.
  const SwizzlePeriods narrow = periods("32x16", "f32", {3, 0, 4});
  CHECK(narrow.unchanged_rows == Rows{0, 8, 16, 24});
  CHECK(narrow.row_period == 8);
  CHECK(narrow.column_period == 8);
  // The lowest bit of the row number is not read: pairs of rows are permuted alike.
  const SwizzlePeriods pairs = periods("32x16", "f32", {4, 0, 5});
  CHECK(pairs.unchanged_rows == Rows{0, 1});
  CHECK(pairs.row_period == 32);
  CHECK(pairs.rows_alike == 2);
  CHECK(periods("34x16", "f32", {4, 0, 5}).unchanged_rows == Rows{0, 1, 32, 33});
}

// According to the published example only the left half under Sw<3,0,3> has a period.
TEST_CASE("columns with different unchanged rows form different ranges") {
  const std::vector<ColumnRange> halves = periods("32x16", "f32", {3, 0, 3}).ranges;
  REQUIRE(halves.size() == 2);
  CHECK(halves[0] == ColumnRange{0, 8, {0, 4, 8, 12, 16, 20, 24, 28}});
  CHECK(halves[1] == ColumnRange{8, 16, {}});
  for (const Swizzle swizzle : {Swizzle{0, 0, 0}, {4, 0, 4}, {2, 1, 3}, {2, 0, -3}, {1, 2, 4}}) {
    for (const int64_t cols : {8, 16, 24}) {
      const SharedTile tile{.rows = 12, .cols = cols, .element_bytes = 2};
      int64_t next = 0;
      const std::vector<ColumnRange> ranges = periods_of(swizzle, tile).ranges;
      for (size_t i = 0; i < ranges.size(); ++i) {
        CHECK(ranges[i].begin == next);
        next = ranges[i].end;
        if (i > 0) CHECK(ranges[i].unchanged_rows != ranges[i - 1].unchanged_rows);
        for (int64_t col = ranges[i].begin; col < ranges[i].end; ++col) {
          Rows stay;
          for (int64_t row = 0; row < tile.rows; ++row) {
            if (apply(swizzle, row * cols + col) == row * cols + col) stay.push_back(row);
          }
          CHECK(ranges[i].unchanged_rows == stay);
        }
      }
      CHECK(next == cols);
    }
  }
}

TEST_CASE("without a swizzle every row is unchanged") {
  const SwizzlePeriods none = periods("8x64", "f16", {0, 0, 0});
  CHECK(none.unchanged_rows.size() == 8);
  CHECK(none.row_period == 1);
}

// Compares with the definition, element by element.
TEST_CASE("reported periods hold, and no smaller row period does") {
  for (const Swizzle swizzle : {Swizzle{1, 2, 3}, {2, 1, 3}, {2, 0, -3}, {3, 3, 3}, {1, 0, 6}}) {
    for (const int64_t cols : {8, 16, 64, 24}) {
      const SharedTile tile{.rows = 16, .cols = cols, .element_bytes = 2};
      const SwizzlePeriods p = periods_of(swizzle, tile);
      const auto moved = [&](int64_t row, int64_t col) {
        return apply(swizzle, row * cols + col) - row * cols - col;
      };
      const auto repeats = [&](int64_t period) {
        for (int64_t row = 0; row < 200; ++row) {
          for (int64_t col = 0; col < cols; ++col) {
            if (moved(row, col) != moved(row + period, col)) return false;
          }
        }
        return true;
      };
      CHECK(repeats(p.row_period));
      for (int64_t smaller = 1; smaller < p.row_period; ++smaller) CHECK(!repeats(smaller));
      for (int64_t row = 0; row < 200; ++row) {
        for (int64_t col = 0; col + p.column_period < cols; ++col) {
          CHECK(moved(row, col) == moved(row, col + p.column_period));
        }
      }
    }
  }
}

TEST_CASE("a tile that cannot be examined is refused") {
  const SharedTile tile = parse_shared_tile("8x12", "f16");
  CHECK_THROWS_AS(periods_of({3, 3, 40}, tile), Error);
}

}  // namespace
}  // namespace tilewright
