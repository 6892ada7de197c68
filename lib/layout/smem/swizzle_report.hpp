// Everything that `analyze swizzle` says.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/check_expression.hpp"
#include "layout/smem/swizzle_periods.hpp"
#include "layout/smem/swizzle_solver.hpp"
#include "layout/smem/swizzle_targets.hpp"

namespace tilewright {

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
