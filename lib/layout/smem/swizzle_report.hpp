// Everything that `analyze swizzle` says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/check_expression.hpp"
#include "layout/algebra/swizzle.hpp"
#include "layout/smem/swizzle_solver.hpp"
#include "layout/smem/tile_pattern.hpp"

namespace tilewright {

/// Columns [begin, end) whose elements stay in the same rows.
struct ColumnRange {
  int64_t begin = 0;
  int64_t end = 0;
  std::vector<int64_t> unchanged_rows;  // of the tile
  bool operator==(const ColumnRange&) const = default;
};

/// Of a row-major tile.
struct SwizzlePeriods {
  std::vector<int64_t> unchanged_rows;  // of the tile
  int64_t row_period = 1;               // rows after which the permutations repeat
  int64_t column_period =
      1;                   // columns after which elements of a row move by the same distance again
  int64_t rows_alike = 1;  // neighbours, in aligned groups, that are permuted alike
  std::vector<ColumnRange> ranges;  // all columns, as few ranges as there can be
  bool operator==(const SwizzlePeriods&) const = default;
};

/// Exact, by trying every element of one period. Throws a usage error where a period of the swizzle
/// exceeds 2^22 elements.
SwizzlePeriods periods_of(const Swizzle& swizzle, const SharedTile& tile);

/// What is known of a swizzle before anything is accessed.
struct SwizzleFacts {
  SharedTile tile;
  Swizzle swizzle;
  SwizzlePeriods periods;
  std::vector<SwizzleSpelling> spellings;
};
SwizzleFacts facts_of(const Swizzle& swizzle, const SharedTile& tile);
/// row_period, column_period.
std::vector<NamedNumber> numbers_of(const SwizzleFacts& facts);

/// The solution, or the one swizzle that was asked for in place of its candidates; of the first
/// candidate the periods and spellings.
struct SwizzleReport {
  SwizzleProblem problem;
  SwizzleSolution solution;
  bool given = false;           // candidates hold the swizzle asked for alone, and no padding
  bool exists = false;          // a candidate without conflicts
  bool padding_exists = false;  // a padding without conflicts
  std::optional<SwizzlePeriods> periods;
  std::vector<SwizzleSpelling> spellings;
};

/// Solves, or costs `given`. Throws a usage error like solve_swizzle and swizzled_costs.
SwizzleReport report_swizzle(const SwizzleProblem& problem, const std::optional<Swizzle>& given);

/// Of the first candidate: write_wavefronts, read_wavefronts, conflict_free, bits, ...
std::vector<NamedNumber> numbers_of(const SwizzleReport& report);

}  // namespace tilewright
