#include "store/swizzle_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tilewright {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kUnits = "elements";

void add_costs(Json& json, const AccessCosts& costs) {
  json["write_wavefronts"] = costs.write.most;
  json["read_wavefronts"] = costs.read.most;
  json["write_total"] = costs.write.total;
  json["read_total"] = costs.read.total;
  json["conflict_free"] = is_conflict_free(costs);
  json["conflicts_remaining"] = conflicts_remaining(costs);
}

Json candidate_json(const SwizzleCandidate& candidate) {
  Json json;
  json["swizzle"] = to_string(candidate.swizzle);
  json["units"] = kUnits;
  add_costs(json, candidate.costs);
  json["is_rule"] = candidate.is_rule;
  return json;
}

Json padding_json(const PaddingCandidate& padding) {
  Json json;
  json["padding"] = padding.elements;
  json["units"] = kUnits;
  json["extra_bytes"] = padding.extra_bytes;
  add_costs(json, padding.costs);
  return json;
}

Json rule_json(const SwizzleReport& report) {
  const SwizzleRule& rule = report.solution.rule;
  Json json;
  json["swizzle"] = rule.text;
  json["units"] = kUnits;
  json["valid"] = rule.swizzle.has_value();
  if (!rule.swizzle) json["why_not"] = rule.why_not;
  for (const SwizzleCandidate& candidate : report.solution.candidates) {
    if (candidate.is_rule) add_costs(json, candidate.costs);
  }
  return json;
}

Json periods_json(const SwizzlePeriods& periods, const AccessCosts& costs) {
  Json json;
  json["unchanged_rows"] = periods.unchanged_rows;
  json["row_period"] = periods.row_period;
  json["column_period"] = periods.column_period;
  json["rows_alike"] = periods.rows_alike;
  json["conflicts_remaining"] = conflicts_remaining(costs);
  return json;
}

Json spellings_json(const std::vector<SwizzleSpelling>& spellings) {
  Json json;
  for (const SwizzleSpelling& spelling : spellings) {
    if (spelling.why_not.empty()) {
      json[spelling.target] = spelling.text;
    } else {
      json[spelling.target] = nullptr;
      json["why_not"][spelling.target] = spelling.why_not;
    }
  }
  return json;
}

}  // namespace

std::string swizzle_json(const SwizzleReport& report, size_t top) {
  const SwizzleProblem& problem = report.problem;
  const SwizzleSolution& solution = report.solution;
  Json json;
  json["tile"] = Json::array({problem.tile.rows, problem.tile.cols});
  json["element_bytes"] = problem.tile.element_bytes;
  json["vector"] = problem.vector;
  json["write"] = to_string(problem.write);
  json["read"] = to_string(problem.read);
  json["candidate_count"] = solution.candidates.size();
  json["conflict_free_exists"] = report.exists;
  json["candidates"] = Json::array();
  for (size_t i = 0; i < std::min(top, solution.candidates.size()); ++i) {
    json["candidates"].push_back(candidate_json(solution.candidates[i]));
  }
  json["rule"] = rule_json(report);
  json["paddings"] = Json::array();
  for (size_t i = 0; i < std::min(top, solution.paddings.size()); ++i) {
    json["paddings"].push_back(padding_json(solution.paddings[i]));
  }
  if (report.periods)
    json["periods"] = periods_json(*report.periods, solution.candidates.front().costs);
  json["emit"] = spellings_json(report.spellings);
  return json.dump(2) + "\n";
}

}  // namespace tilewright
