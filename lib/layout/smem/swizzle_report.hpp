// Collects the results of `analyze swizzle`.
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

/// Columns [begin, end) with the same unchanged rows.
struct ColumnRange {
  int64_t begin = 0;
  int64_t end = 0;
  std::vector<int64_t> unchanged_rows;  // of the tile
  bool operator==(const ColumnRange&) const = default;
};

/// The periods of a swizzle in a row-major tile.
struct SwizzlePeriods {
  std::vector<int64_t> unchanged_rows;  // of the tile
  int64_t row_period = 1;               // rows after which the permutations repeat
  int64_t column_period = 1;            // columns after which the distances within a row repeat
  int64_t rows_alike = 1;           // size of the aligned groups of rows with the same permutation
  std::vector<ColumnRange> ranges;  // all columns, in as few ranges as possible
  bool operator==(const SwizzlePeriods&) const = default;
};

/// Exact: tests every element of one period. Throws a usage error if a period of the swizzle
/// exceeds 2^22 elements.
SwizzlePeriods periods_of(const Swizzle& swizzle, const SharedTile& tile);

/// The properties of a swizzle that do not depend on accesses.
struct SwizzleFacts {
  SharedTile tile;
  Swizzle swizzle;
  SwizzlePeriods periods;
  std::vector<SwizzleSpelling> spellings;
};
SwizzleFacts facts_of(const Swizzle& swizzle, const SharedTile& tile);
/// row_period, column_period.
std::vector<NamedNumber> numbers_of(const SwizzleFacts& facts);

/// The solution of a problem, or the costs of a given swizzle as its only candidate; with the
/// periods and spellings of the first candidate.
struct SwizzleReport {
  SwizzleProblem problem;
  SwizzleSolution solution;
  bool is_given = false;  // the only candidate is the given swizzle, without paddings
  bool has_conflict_free_swizzle = false;  // a candidate has no conflicts
  bool has_conflict_free_padding = false;  // a padding has no conflicts
  std::optional<SwizzlePeriods> periods;
  std::vector<SwizzleSpelling> spellings;
};

/// Solves the problem, or computes the costs of `given`. Throws a usage error like solve_swizzle()
/// and swizzled_costs().
SwizzleReport report_swizzle(const SwizzleProblem& problem, const std::optional<Swizzle>& given);

/// Numbers of the first candidate: read_wavefronts, conflict_free, ...; write_wavefronts and
/// write_total where warps write.
std::vector<NamedNumber> numbers_of(const SwizzleReport& report);

}  // namespace tilewright
