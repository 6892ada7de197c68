#include "layout/smem/swizzle_report.hpp"

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"

namespace tilewright {

SwizzleReport report_swizzle(const SwizzleProblem& problem, const std::optional<Swizzle>& given) {
  SwizzleReport report;
  report.problem = problem;
  report.is_given = given.has_value();
  if (given) {
    report.solution.rule = rule_of_thumb(problem.tile, problem.vector);
    report.solution.plain = swizzled_costs(problem, {});
    report.solution.candidates.push_back({.swizzle = *given,
                                          .costs = swizzled_costs(problem, *given),
                                          .is_rule = *given == report.solution.rule.swizzle});
  } else {
    report.solution = solve_swizzle(problem);
  }
  const auto free = [](const auto& candidate) { return is_conflict_free(candidate.costs); };
  const auto& candidates = report.solution.candidates;
  const auto& paddings = report.solution.paddings;
  report.has_conflict_free_swizzle = std::any_of(candidates.begin(), candidates.end(), free);
  report.has_conflict_free_padding = std::any_of(paddings.begin(), paddings.end(), free);
  const Swizzle& best = candidates.front().swizzle;
  report.periods = periods_of(best, problem.tile);
  report.spellings = spell_swizzle(problem.tile, best);
  return report;
}

SwizzleFacts facts_of(const Swizzle& swizzle, const SharedTile& tile) {
  return {tile, swizzle, periods_of(swizzle, tile), spell_swizzle(tile, swizzle)};
}

std::vector<NamedNumber> numbers_of(const SwizzleFacts& facts) {
  return {{"row_period", static_cast<double>(facts.periods.row_period)},
          {"column_period", static_cast<double>(facts.periods.column_period)}};
}

std::vector<NamedNumber> numbers_of(const SwizzleReport& report) {
  const SwizzleCandidate& best = report.solution.candidates.front();
  std::vector<NamedNumber> numbers = {
      {"write_wavefronts", static_cast<double>(best.costs.write.most)},
      {"read_wavefronts", static_cast<double>(best.costs.read.most)},
      {"write_total", static_cast<double>(best.costs.write.total)},
      {"read_total", static_cast<double>(best.costs.read.total)},
      {"conflicts", static_cast<double>(conflicts(best.costs.write) + conflicts(best.costs.read))},
      {"conflict_free", is_conflict_free(best.costs) ? 1.0 : 0.0, true},
      {"is_rule", best.is_rule ? 1.0 : 0.0, true},
      {"row_period", static_cast<double>(report.periods->row_period)},
      {"column_period", static_cast<double>(report.periods->column_period)},
      {"conflict_share", conflict_share(best.costs)},
      {"conflicts_remaining", conflicts_remaining(best.costs, report.solution.plain)}};
  if (warps_of(report.problem.write) == nullptr) {
    std::erase_if(numbers, [](const NamedNumber& n) { return n.name.substr(0, 6) == "write_"; });
  }
  return numbers;
}

namespace {

// The distance by which the swizzle moves each element of some rows.
class Displacements {
 public:
  Displacements(const Swizzle& swizzle, int64_t rows, int64_t cols) : rows_(rows), cols_(cols) {
    moved_.reserve(static_cast<size_t>(rows * cols));
    for (int64_t i = 0; i < rows * cols; ++i) moved_.push_back(apply(swizzle, i) - i);
  }

  bool rows_equal(int64_t a, int64_t b) const { return std::equal(row(a), row(a) + cols_, row(b)); }
  bool stays(int64_t r, int64_t c) const { return row(r)[c] == 0; }
  bool row_stays(int64_t r) const {
    return std::all_of(row(r), row(r) + cols_, [](int64_t d) { return d == 0; });
  }
  bool repeats_after_rows(int64_t period) const {
    for (int64_t r = 0; r + period < rows_; ++r) {
      if (!rows_equal(r, r + period)) return false;
    }
    return true;
  }
  bool repeats_after_columns(int64_t period) const {
    for (int64_t r = 0; r < rows_; ++r) {
      if (!std::equal(row(r), row(r) + cols_ - period, row(r) + period)) return false;
    }
    return true;
  }
  bool groups_alike(int64_t group) const {
    for (int64_t r = 0; r < rows_; ++r) {
      if (!rows_equal(r, r / group * group)) return false;
    }
    return true;
  }

 private:
  std::vector<int64_t>::const_iterator row(int64_t r) const { return moved_.begin() + r * cols_; }

  int64_t rows_;
  int64_t cols_;
  std::vector<int64_t> moved_;
};

}  // namespace

SwizzlePeriods periods_of(const Swizzle& swizzle, const SharedTile& tile) {
  const int64_t rows = tile.rows;
  const int64_t cols = tile.cols;
  const int64_t reach = period(swizzle);
  const int64_t full_period = reach / std::gcd(reach, cols);  // rows
  if (full_period > kMaxListed / cols) {
    throw usage_error(format("{} repeats only after {} rows of {}: they are too many to examine",
                             to_string(swizzle), full_period, cols));
  }
  const Displacements moved(swizzle, 2 * full_period, cols);
  SwizzlePeriods periods;
  while (!moved.repeats_after_rows(periods.row_period)) ++periods.row_period;
  while (periods.column_period < cols && (cols % periods.column_period != 0 ||
                                          !moved.repeats_after_columns(periods.column_period))) {
    ++periods.column_period;
  }
  for (int64_t group = 2; group <= periods.row_period; ++group) {
    if (periods.row_period % group == 0 && moved.groups_alike(group)) periods.rows_alike = group;
  }
  for (int64_t r = 0; r < rows; ++r) {
    if (moved.row_stays(r % periods.row_period)) periods.unchanged_rows.push_back(r);
  }
  for (int64_t c = 0; c < cols; ++c) {
    ColumnRange column{c, c + 1, {}};
    for (int64_t r = 0; r < rows; ++r) {
      if (moved.stays(r % periods.row_period, c)) column.unchanged_rows.push_back(r);
    }
    const bool alike = c > 0 && periods.ranges.back().unchanged_rows == column.unchanged_rows;
    if (alike) {
      periods.ranges.back().end = c + 1;
    } else {
      periods.ranges.push_back(std::move(column));
    }
  }
  return periods;
}

}  // namespace tilewright
