#include "layout/smem/swizzle_report.hpp"

#include <algorithm>

namespace tilewright {

SwizzleReport report_swizzle(const SwizzleProblem& problem, const std::optional<Swizzle>& given) {
  SwizzleReport report;
  report.problem = problem;
  report.given = given.has_value();
  if (given) {
    report.solution.rule = rule_of_thumb(problem.tile, problem.vector);
    report.solution.candidates.push_back({.swizzle = *given,
                                          .costs = swizzled_costs(problem, *given),
                                          .is_rule = *given == report.solution.rule.swizzle});
  } else {
    report.solution = solve_swizzle(problem);
  }
  const auto free = [](const auto& candidate) { return is_conflict_free(candidate.costs); };
  const auto& candidates = report.solution.candidates;
  const auto& paddings = report.solution.paddings;
  report.exists = std::any_of(candidates.begin(), candidates.end(), free);
  report.padding_exists = std::any_of(paddings.begin(), paddings.end(), free);
  const Swizzle& best = candidates.front().swizzle;
  report.periods = periods_of(best, problem.tile);
  report.spellings = spell_swizzle(problem.tile, best);
  return report;
}

std::vector<NamedNumber> numbers_of(const SwizzleReport& report) {
  const SwizzleCandidate& best = report.solution.candidates.front();
  return {
      {"write_wavefronts", static_cast<double>(best.costs.write.most)},
      {"read_wavefronts", static_cast<double>(best.costs.read.most)},
      {"write_total", static_cast<double>(best.costs.write.total)},
      {"read_total", static_cast<double>(best.costs.read.total)},
      {"conflicts", static_cast<double>(conflicts(best.costs.write) + conflicts(best.costs.read))},
      {"conflict_free", is_conflict_free(best.costs) ? 1.0 : 0.0, true},
      {"is_rule", best.is_rule ? 1.0 : 0.0, true},
      {"row_period", static_cast<double>(report.periods->row_period)},
      {"column_period", static_cast<double>(report.periods->column_period)},
      {"conflicts_remaining", conflicts_remaining(best.costs)}};
}

}  // namespace tilewright
