#include "store/layout_json.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "record/document.hpp"

namespace tilewright {

namespace {

using Json = Document;

Json tuple_json(const IntTuple& tuple) {
  if (!tuple.is_tuple()) return tuple.value();
  Json items = Json::array();
  for (const IntTuple& item : tuple.items()) items.push_back(tuple_json(item));
  return items;
}

Json lint_json(const std::vector<LayoutLint>& lints) {
  Json list = Json::array();
  for (const LayoutLint& lint : lints) {
    list.push_back({{"code", lint.code}, {"message", lint.message}});
  }
  return list;
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json access_json(const LayoutAccess& access) {
  const TileCost& cost = access.cost;
  return {{"op", access.pattern},         {"instructions", cost.instructions},
          {"wavefronts", cost.total},     {"ideal", cost.ideal},
          {"conflicts", conflicts(cost)}, {"min", cost.least},
          {"mean", mean(cost)},           {"max", cost.most}};
}

Json wgmma_json(const WgmmaMatch& match) {
  if (!match.layout) return {{"layout", nullptr}, {"why_not", match.why_not}};
  return {{"layout", match.layout->name},
          {"mn_stride_bytes", match.layout->mn_stride_bytes},
          {"k_stride_bytes", match.layout->k_stride_bytes}};
}

Json stages_json(const PipelineStages& stages, int64_t element_bits) {
  std::optional<int64_t> bytes = stages.distance;
  if (bytes) bytes = *bytes * element_bits / 8;
  return {{"count", stages.count},
          {"judged", 0},
          {"distance", or_null(stages.distance)},
          {"distance_bytes", or_null(bytes)},
          {"alike", stages.alike}};
}

Json comparison_json(const LayoutComparison& comparison) {
  if (!comparison.difference) return nullptr;
  const LayoutDifference& found = *comparison.difference;
  return {{"index", found.index},
          {"coordinate", tuple_json(found.coordinate)},
          {"first", tuple_json(found.first)},
          {"second", tuple_json(found.second)}};
}

Json linear_json(const LinearLayout& linear) {
  Json json;
  for (const LinearInput& input : linear.inputs) json["inputs"][input.name] = input.bases;
  for (const LinearOutput& output : linear.outputs) json["outputs"][output.name] = output.size;
  return json;
}

void add_numbers(const LayoutReport& r, const LayoutJsonParts& parts, Json& json) {
  json["size"] = r.size;
  json["cosize"] = tuple_json(r.cosize);
  json["footprint"] = or_null(r.footprint);
  if (parts.element_bits && r.footprint) {
    json["element_bits"] = *parts.element_bits;
    json["footprint_bytes"] = footprint_bytes(r, *parts.element_bits);
  }
  json["rank"] = r.rank;
  json["depth"] = r.depth;
  json["injective"] = or_null(r.injective);
}

using Json = Document;

Json phase_json(const AccessPhase& phase) {
  Json json;
  json["lanes"] = phase.bank_lanes;
  json["bank"] = phase.bank;
  json["words"] = phase.words;
  json["phase_lanes"] = phase.lanes;
  return json;
}

Json document(const char* space, const Json& accesses) {
  Json json;
  json["space"] = space;
  json["accesses"] = accesses;
  return json;
}

Json levels_json(const NestedLevels& levels) {
  const auto list = [](const std::vector<NestedLevel>& all) {
    Json items = Json::array();
    for (const NestedLevel& one : all) {
      items.push_back({{"id", one.id}, {"virtual_id", one.virtual_id}, {"place", one.place}});
    }
    return items;
  };
  return {{"viewed_as", levels.viewed_as},
          {"subgroup", levels.of_subgroup},
          {"thread", levels.of_thread},
          {"subgroups", list(levels.subgroups)},
          {"threads", list(levels.threads)}};
}

using Json = Document;

constexpr const char* kUnits = "elements";

void add_costs(Json& json, const AccessCosts& costs, const AccessCosts& plain) {
  // Null: no warp writes the tile.
  const auto of_write = [&](int64_t value) {
    return costs.write.instructions > 0 ? Json(value) : Json(nullptr);
  };
  json["write_wavefronts"] = of_write(costs.write.most);
  json["read_wavefronts"] = costs.read.most;
  json["write_total"] = of_write(costs.write.total);
  json["read_total"] = costs.read.total;
  json["conflict_free"] = is_conflict_free(costs);
  json["conflict_share"] = conflict_share(costs);
  json["conflicts_remaining"] = conflicts_remaining(costs, plain);
}

Json candidate_json(const SwizzleCandidate& candidate, const AccessCosts& plain) {
  Json json;
  json["swizzle"] = to_string(candidate.swizzle);
  json["units"] = kUnits;
  add_costs(json, candidate.costs, plain);
  json["is_rule"] = candidate.is_rule;
  return json;
}

Json padding_json(const PaddingCandidate& padding, const AccessCosts& plain) {
  Json json;
  json["padding"] = padding.elements;
  json["units"] = kUnits;
  json["extra_bytes"] = padding.extra_bytes;
  add_costs(json, padding.costs, plain);
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
    if (candidate.is_rule) add_costs(json, candidate.costs, report.solution.plain);
  }
  return json;
}

Json periods_json(const SwizzlePeriods& periods) {
  Json json;
  json["unchanged_rows"] = periods.unchanged_rows;
  json["row_period"] = periods.row_period;
  json["column_period"] = periods.column_period;
  json["rows_alike"] = periods.rows_alike;
  json["ranges"] = Json::array();
  for (const ColumnRange& range : periods.ranges) {
    json["ranges"].push_back(
        {{"columns", {range.begin, range.end}}, {"unchanged_rows", range.unchanged_rows}});
  }
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

std::string layout_json(const LayoutReport& r, const LayoutJsonParts& parts) {
  Json json;
  json["layout"] = r.text;
  if (r.dialect_text != r.text) json["dialect_text"] = r.dialect_text;
  if (r.value) {
    json["value"] = tuple_json(*r.value);
  } else {
    add_numbers(r, parts, json);
  }
  if (parts.comparison) {
    json["equal"] = parts.comparison->equal;
    json["first_difference"] = comparison_json(*parts.comparison);
    if (!parts.comparison->equal) json["reason"] = parts.comparison->reason;
  }
  if (parts.access) json["access"] = access_json(*parts.access);
  if (parts.wgmma) json["wgmma"] = wgmma_json(*parts.wgmma);
  if (parts.stages) json["stages"] = stages_json(*parts.stages, *parts.element_bits);
  if (parts.linear) json["linear"] = linear_json(*parts.linear);
  if (parts.steps) json["steps"] = *parts.steps;
  json["lint"] = lint_json(r.lint);
  if (!parts.offsets) return to_json(json);
  std::string list;
  for (const IntTuple& offset : *parts.offsets) {
    if (!list.empty()) list += ",";
    list += tuple_json(offset).dump();
  }
  return to_json_with(json, {{"offsets", format("[{}]", list)}});
}

std::string shared_access_json(std::span<const WarpAccess> accesses,
                               std::span<const Wavefronts> costs) {
  Json list = Json::array();
  for (size_t i = 0; i < accesses.size(); ++i) {
    Json json;
    json["op"] = to_string(accesses[i].op);
    json["wavefronts"] = costs[i].wavefronts;
    json["ideal"] = costs[i].ideal;
    json["conflicts"] = costs[i].conflicts;
    json["phases"] = Json::array();
    for (const AccessPhase& phase : costs[i].phases) json["phases"].push_back(phase_json(phase));
    list.push_back(std::move(json));
  }
  return to_json(document("shared", list));
}

std::string global_access_json(std::span<const WarpAccess> accesses,
                               std::span<const Coalescing> costs) {
  Json list = Json::array();
  for (size_t i = 0; i < accesses.size(); ++i) {
    Json json;
    json["op"] = to_string(accesses[i].op);
    json["requests"] = costs[i].requests;
    json["sectors"] = costs[i].sectors;
    json["lines"] = costs[i].lines;
    json["bytes_used"] = costs[i].bytes_used;
    json["bytes_moved"] = costs[i].bytes_moved;
    json["efficiency"] = costs[i].efficiency;
    list.push_back(std::move(json));
  }
  return to_json(document("global", list));
}

std::string probed_access_json(std::span<const ProbedAccess> accesses, const std::string& device) {
  Json json;
  json["device"] = device;
  json["predicted"] = !accesses.empty() && !accesses.front().measured;
  json["accesses"] = Json::array();
  for (const ProbedAccess& access : accesses) {
    Json row;
    row["op"] = to_string(access.op);
    row["predicted"] = access.predicted;
    if (access.measured) row["measured"] = *access.measured;
    json["accesses"].push_back(std::move(row));
  }
  return to_json(json);
}

std::vector<NamedNumber> numbers_of(const NestedAccess& a) {
  if (a.cost) {
    return {{"wavefronts", static_cast<double>(a.cost->total)},
            {"conflicts", static_cast<double>(conflicts(*a.cost))}};
  }
  if (!a.coalescing) return {};
  return {{"sectors", static_cast<double>(a.coalescing->sectors)},
          {"lines", static_cast<double>(a.coalescing->lines)},
          {"efficiency", a.coalescing->efficiency}};
}

std::string nested_json(const NestedReport& r, const NestedAccess& access,
                        const NestedLevels* levels) {
  Document json;
  json["layout"] = to_string(r.layout);
  json["vector_shape"] = vector_shape(r.layout);
  json["distributed_shape"] = distributed_shape(r.layout);
  json["per_thread_shape"] = per_thread_shape(r.layout);
  json["subgroup_size"] = r.workgroup.subgroup_size;
  json["subgroup_size_from"] = r.size_from_strides ? "thread_strides" : "request";
  json["subgroups"] = r.workgroup.subgroups;
  json["subgroup_ids"] = r.subgroup_ids;
  json["thread_ids"] = r.thread_ids;
  json["replicated"] = r.replicated;
  json["uncovered"] = r.uncovered;
  json["cute"] = r.cute;
  json["triton"] = r.triton;
  json["lint"] = Document::array();
  for (const NestedLint& lint : r.lint) {
    json["lint"].push_back({{"code", lint.code}, {"message", lint.message}});
  }
  if (r.thread) {
    json["thread"] = r.thread->thread;
    json["virtual_subgroup"] = r.thread->at.subgroup;
    json["virtual_thread"] = r.thread->at.thread;
    json["elements"] = r.thread->elements;
  }
  if (levels != nullptr) json["levels"] = levels_json(*levels);
  if (!access.op.empty()) json["access"]["op"] = access.op;
  for (const NamedNumber& number : numbers_of(access)) {
    json["access"][std::string(number.name)] = number.value;
  }
  return to_json(json);
}

std::string swizzle_json(const SwizzleReport& report, size_t top) {
  const SwizzleProblem& problem = report.problem;
  const SwizzleSolution& solution = report.solution;
  Json json;
  json["tile"] = Json::array({problem.tile.rows, problem.tile.cols});
  json["element_bytes"] = problem.tile.element_bytes;
  json["vector"] = problem.vector;
  const std::string writer = to_string(problem.write);
  json["write"] = writer.empty() ? Json(nullptr) : Json(writer);
  json["read"] = to_string(problem.read);
  json["candidate_count"] = solution.candidates.size();
  json["conflict_free_exists"] = report.has_conflict_free_swizzle;
  json["candidates"] = Json::array();
  for (size_t i = 0; i < std::min(top, solution.candidates.size()); ++i) {
    json["candidates"].push_back(candidate_json(solution.candidates[i], solution.plain));
  }
  json["rule"] = rule_json(report);
  json["paddings"] = Json::array();
  for (size_t i = 0; i < std::min(top, solution.paddings.size()); ++i) {
    json["paddings"].push_back(padding_json(solution.paddings[i], solution.plain));
  }
  if (report.periods) {
    json["periods"] = periods_json(*report.periods);
    json["periods"]["conflicts_remaining"] =
        conflicts_remaining(solution.candidates.front().costs, solution.plain);
  }
  json["emit"] = spellings_json(report.spellings);
  return to_json(json);
}

std::string swizzle_facts_json(const SwizzleFacts& facts) {
  Json json;
  json["tile"] = Json::array({facts.tile.rows, facts.tile.cols});
  json["element_bytes"] = facts.tile.element_bytes;
  json["swizzle"] = to_string(facts.swizzle);
  json["periods"] = periods_json(facts.periods);
  json["emit"] = spellings_json(facts.spellings);
  return to_json(json);
}

}  // namespace tilewright
