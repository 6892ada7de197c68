#include "store/schedule_json.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"
#include "record/document.hpp"
#include "record/node.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/external_schedule.hpp"

namespace tilewright {

namespace {

using Json = Document;

Json work_json(const WorkTile& w) {
  return {
      {"problem", w.problem}, {"m", w.m}, {"n", w.n}, {"k_begin", w.k_begin}, {"k_end", w.k_end}};
}

Json list(const std::vector<WorkTile>& works) {
  Json all = Json::array();
  for (const WorkTile& work : works) all.push_back(work_json(work));
  return all;
}

Json proof_json(const ScheduleProof& p) {
  Json json = {{"complete", p.complete},
               {"tiles", p.wanted},
               {"missing", p.missing_count},
               {"duplicated", p.duplicated_count},
               {"outside", p.outside_count}};
  if (p.missing_count > 0) json["missing_work"] = list(p.missing);
  if (p.duplicated_count > 0) json["duplicated_work"] = list(p.duplicated);
  if (p.outside_count > 0) json["outside_work"] = list(p.outside);
  return json;
}

std::string works_text(const std::vector<WorkTile>& works) {
  std::string text;
  for (const WorkTile& w : works) {
    throw_if_interrupted();
    text += format(R"({}{{"problem":{},"m":{},"n":{},"k_begin":{},"k_end":{}}})",
                   text.empty() ? "" : ",", w.problem, w.m, w.n, w.k_begin, w.k_end);
  }
  return format("[{}]", text);
}

// One line a CTA: a million indented units would be ten million lines.
std::string lines_text(const std::vector<std::string>& ctas) {
  return format("[\n    {}\n  ]", join(ctas, ",\n    "));
}

std::string assignments_text(const std::vector<std::vector<WorkTile>>& ctas) {
  std::vector<std::string> lines;
  lines.reserve(ctas.size());
  for (const std::vector<WorkTile>& works : ctas) lines.push_back(works_text(works));
  return lines_text(lines);
}

std::string_view time_key(const ScheduleReport& report) {
  return report.predicted_us ? "time_us" : "k_steps";
}

std::string cta_problems_text(const GroupOccupancy& occupancy, std::string_view key) {
  std::vector<std::string> lines;
  lines.reserve(occupancy.ctas.size());
  for (const std::vector<ProblemTime>& problems : occupancy.ctas) {
    std::vector<std::string> of_cta;
    of_cta.reserve(problems.size());
    for (const ProblemTime& p : problems) {
      of_cta.push_back(format(R"({{"problem":{},"{}":{:.6g}}})", p.problem, key, p.time));
    }
    lines.push_back(format("[{}]", join(of_cta, ",")));
  }
  return lines_text(lines);
}

Json paddings_json(const std::vector<RowPadding>& paddings) {
  Json list = Json::array();
  for (const RowPadding& p : paddings) {
    list.push_back({{"tile_rows", p.tile_rows},
                    {"padded_rows", p.padded_rows},
                    {"padding_pct", padding_pct(p)}});
  }
  return list;
}

void add_fix_up(const ScheduleReport& r, Json& json) {
  json["fix_up"] = {{"divided_tiles", r.fix_up.divided_tiles},
                    {"parts", r.fix_up.parts},
                    {"workspace_bytes", r.fix_up.workspace_bytes},
                    {"traffic_bytes", r.fix_up.traffic_bytes}};
  json["turnstiles"] = {{"waits", r.turnstiles.waits},
                        {"longest_chain", r.turnstiles.longest_chain},
                        {"ends", r.turnstiles.ends}};
  json["meetings"] = {{"parts", r.exchanges.parts}, {"ends", r.exchanges.ends}};
}

Json sums_json(const Plan& plan) {
  const std::optional<SumOrder> order = sum_order_of(plan);
  if (!order) return nullptr;
  return {{"order", to_string(*order)},
          {"family", to_string(order->family)},
          {"slices", order->slices},
          {"step_k", order->step_k}};
}

Json invariance_json(const TileConfig& compared, const SumParting* parting) {
  Json json = {{"with", to_string(compared)}, {"same", parting == nullptr}};
  if (parting != nullptr) {
    json["parts_at_k"] = parting->k;
    json["why"] = parting->why;
  }
  return json;
}

Json problems_json(const Plan& plan, const GroupOccupancy& occupancy, std::string_view key) {
  Json list = Json::array();
  for (size_t i = 0; i < occupancy.problems.size(); ++i) {
    const ProblemShare& share = occupancy.problems[i];
    const GemmShape& shape = plan.workload.shapes[i];
    list.push_back({{"problem", i},
                    {"shape", to_string(shape)},
                    {"rows", shape.m},
                    {"ctas", share.ctas},
                    {"mostly_ctas", share.mostly},
                    {key, share.time},
                    {"time_pct", occupancy.time == 0 ? 0 : 100 * share.time / occupancy.time}});
  }
  return list;
}

// The problem number, as the user gave it, at a position in scheduling order.
int problem_at(const Plan& plan, int place) {
  return plan.order[static_cast<size_t>(place)];
}

Json table_rows(const Plan& plan, const ScheduleTable& table) {
  const std::vector<int64_t> starts = starting_tiles(plan);
  Json rows = Json::array();
  for (const auto& entries : table.of_worker) {
    Json row = Json::array();
    for (const tw::TableEntry& entry : entries) {
      row.push_back({{"problem", problem_at(plan, entry.problem)},
                     {"unit", entry.unit},
                     {"starting_tile", starts[static_cast<size_t>(entry.problem)]}});
    }
    rows.push_back(row);
  }
  return rows;
}

Json search_rows(const Plan& plan, const std::vector<std::vector<ProblemSearchStep>>& search) {
  Json rows = Json::array();
  for (const auto& steps : search) {
    Json row = Json::array();
    for (const ProblemSearchStep& step : steps) {
      row.push_back({{"unit", step.unit},
                     {"prefix_sums", step.prefix_sums},
                     {"lane", step.lane},
                     {"problem", problem_at(plan, step.first_place + step.lane)},
                     {"starting_tile", step.start}});
    }
    rows.push_back(row);
  }
  return rows;
}

Json group_modes_json(const GroupModes& compared) {
  Json modes = Json::array();
  for (const GroupMode& mode : compared.modes) {
    Json json = {{"group_schedule", to_string(mode.schedule)},
                 {"predicted_us", value_or_null(believed_us(mode.predicted))}};
    if (!mode.not_runnable.empty()) json["not_runnable"] = mode.not_runnable;
    modes.push_back(json);
  }
  return {{"advised", to_string(compared.advised)}, {"modes", modes}};
}

using Json = Document;

Json pair(TileCoord tile) {
  return Json::array({tile.m, tile.n});
}

Json list(const std::vector<TileCoord>& tiles) {
  Json all = Json::array();
  for (const TileCoord tile : tiles) all.push_back(pair(tile));
  return all;
}

// One line: a list of a million indented tiles would be ten million lines.
std::string order_text(const std::vector<TileCoord>& order, TileCoord grid) {
  std::string text = "[";
  for (const TileCoord tile : order) {
    if (text.size() > 1) text += ",";
    text += is_on_grid(grid, tile) ? format("[{},{}]", tile.m, tile.n) : "null";
  }
  return text + "]";
}

Json strays_json(const std::vector<Stray>& strays) {
  Json list = Json::array();
  for (size_t i = 0; i < strays.size() && i < GridProof::kMaxExamples; ++i) {
    list.push_back({{"slot", strays[i].slot}, {"tile", pair(strays[i].tile)}});
  }
  return list;
}

Json launch_json(const LaunchExtents& launch) {
  Json json = {{"grid_x", launch.x}, {"grid_y", launch.y}};
  if (launch.tile_m.empty()) return json;
  json["slot"] = format("bidx + {} * bidy", launch.x);
  json["m"] = launch.tile_m;
  json["n"] = launch.tile_n;
  return json;
}

using Json = Document;

// Prints integers without a fraction.
Json number_json(double value) {
  const auto whole = static_cast<int64_t>(value);
  if (static_cast<double>(whole) == value) return whole;
  return value;
}

Json raster_json(const RankedRaster& r) {
  Json json;
  json["raster"] = to_string(r.raster);
  json["predicted_us"] = value_or_null(believed_us(r.predicted));
  json["dram_read_bytes"] = r.predicted.dram_read_bytes;
  json["dram_write_bytes"] = r.predicted.dram_write_bytes;
  json["l2_hit_rate"] = r.predicted.l2_hit_rate;
  json["slots"] = r.predicted.slots;
  json["waste_pct"] = r.waste_pct;
  json["waves"] = r.predicted.waves;
  json["wave_efficiency"] = r.predicted.wave_efficiency;
  return json;
}

Json extreme_json(const Sweep& sweep, const SweptNumber& number, size_t place) {
  return {{sweep.parameter, sweep.at[place]}, {number.name, number_json(*number.values[place])}};
}

constexpr std::string_view kWhyNot = "why_not";

Json link_spans_json(const std::vector<LinkSpan>& spans) {
  Json list = Json::array();
  for (const LinkSpan& span : spans) {
    list.push_back({{"from", span.from},
                    {"to", span.to},
                    {"begin_us", span.begin_us},
                    {"end_us", span.end_us},
                    {"bytes", span.bytes}});
  }
  return list;
}

Json peers_json(const Workload& workload, const PeerProof& proof) {
  Json links = Json::array();
  for (const LinkLoad& link : proof.links) {
    links.push_back({{"from", link.from}, {"to", link.to}, {"bytes", link.bytes}});
  }
  return {{"collective", to_string(workload.parallel.collective)},
          {"gpus", workload.parallel.gpus},
          {"parts", proof.parts},
          {"complete", proof.complete},
          {"missing", proof.missing_count},
          {"duplicated", proof.duplicated_count},
          {"ends", proof.ends},
          {"links", links}};
}

void set_number(Sweep& sweep, const std::string& name, size_t place, double value) {
  auto known = std::find_if(sweep.numbers.begin(), sweep.numbers.end(),
                            [&name](const SweptNumber& number) { return number.name == name; });
  if (known == sweep.numbers.end()) {
    sweep.numbers.push_back({name, {}});
    known = std::prev(sweep.numbers.end());
  }
  known->values.resize(place + 1);
  known->values[place] = value;
}

}  // namespace

std::string schedule_json(const Plan& plan, const ScheduleReport& r, const ScheduleLists& lists) {
  const TileConfig& q = plan.config;
  const Workload& w = plan.workload;
  Json json;
  json["problem"] = r.problem;
  json["op"] = to_string(w.op);
  if (is_triangular(w)) json["uplo"] = to_string(w.uplo);
  json["cta"] = to_string(q.cta);
  json["cluster"] = Json::array({q.cluster.m, q.cluster.n});
  if (plan.options.external) {
    json["from"] = plan.options.external->name;
  } else {
    json["raster"] = to_string(q.raster);
    json["decomposition"] = to_string(q.decomposition);
    if (r.equals) json["equals"] = to_string(*r.equals);
    json["group_schedule"] = to_string(q.group_schedule);
    json["problem_order"] = to_string(q.problem_order);
    json["config"] = launch_config_text(q, plan.workload);
  }
  json["units"] = r.units;
  json["ctas"] = r.ctas;
  json["proof"] = proof_json(r.proof);
  json["k_steps"] = {{"min", r.k_steps.min}, {"mean", r.k_steps.mean}, {"max", r.k_steps.max}};
  json["imbalance"] = r.imbalance;
  json["early_exit"] = r.early_exit;
  json["padded"] = r.padded;
  json["idle_ctas"] = r.idle_ctas;
  json["waves"] = value_or_null(r.waves);
  json["padding_pct"] = padding_pct(r.padding);
  json["paddings"] = paddings_json(r.paddings);
  json["empty_problems"] = r.empty_problems;
  json["sums"] = sums_json(plan);
  if (lists.compared != nullptr)
    json["invariant"] = invariance_json(*lists.compared, lists.parting);
  if (r.fix_up.parts > 0) add_fix_up(r, json);
  if (r.table_entries > 0) {
    json["table"] = {{"entries", r.table_entries}, {"bytes", r.table_bytes}};
  }
  if (r.peers) {
    json["parallel"] = peers_json(w, *r.peers);
    if (lists.links != nullptr) json["parallel"]["spans"] = link_spans_json(*lists.links);
  }
  if (!r.device.empty()) json["device"] = r.device;
  json["predicted"] = true;  // the time comes from the model; nothing ran
  if (!r.not_runnable.empty()) json["not_runnable"] = r.not_runnable;
  json["predicted_us"] = value_or_null(r.predicted_us);
  if (lists.table != nullptr) json["table"]["rows"] = table_rows(plan, *lists.table);
  if (lists.search != nullptr) json["search"]["rows"] = search_rows(plan, *lists.search);
  if (lists.group_modes != nullptr) json["group_modes"] = group_modes_json(*lists.group_modes);
  if (lists.occupancy != nullptr) {
    json["problems"] = problems_json(plan, *lists.occupancy, time_key(r));
  }
  if (lists.assignments == nullptr) return to_json(json);
  std::vector<JsonText> of_ctas = {{"assignments", assignments_text(*lists.assignments)}};
  if (lists.occupancy != nullptr) {
    of_ctas.push_back({"cta_problems", cta_problems_text(*lists.occupancy, time_key(r))});
  }
  return to_json_with(json, of_ctas);
}

std::string grid_json(const GridReport& r, const std::vector<TileCoord>* order) {
  const GridProof& p = r.proof;
  Json json;
  json["raster"] = raster_name(r);
  json["cluster"] = Json::array({r.cluster.m, r.cluster.n});
  if (r.peers.collective != Collective::None) {
    json["parallel"] = {{"collective", to_string(r.peers.collective)},
                        {"gpus", r.peers.blocks.gpus},
                        {"gpu", r.peers.blocks.rank},
                        {"rank_order", to_string(r.peers.blocks.order)},
                        {"chunks", r.peers.blocks.chunks}};
  }
  json["tiles"] = pair(p.tiles);
  json["tile_count"] = p.tile_count;
  json["slots"] = p.slots;
  json["overhang"] = p.overhang;
  json["waste_pct"] = p.waste_pct;
  json["bijective"] = p.bijective;
  json["missing"] = p.missing_count;
  json["duplicates"] = p.duplicate_count;
  if (p.missing_count > 0) json["missing_tiles"] = list(p.missing);
  if (p.duplicate_count > 0) json["duplicate_tiles"] = list(p.duplicates);
  const std::vector<Stray> strays = strays_of(r);
  if (!strays.empty()) json["outside"] = strays_json(strays);
  json["launch"] = launch_json(launch_extents(r));
  if (!r.device.empty()) json["device"] = r.device;
  if (r.waves) {
    json["ctas"] = r.waves->ctas;
    json["waves"] = r.waves->waves;
    json["wave_efficiency"] = r.waves->efficiency;
  }
  if (r.traffic) {
    json["predicted"] = true;  // by the cost model, not measured
    if (!r.traffic->not_runnable.empty()) json["not_runnable"] = r.traffic->not_runnable;
    json["dram_read_bytes"] = r.traffic->dram_read_bytes;
    json["compulsory_bytes"] = r.traffic->compulsory_bytes;
    json["l2_hit_rate"] = r.traffic->l2_hit_rate;
  }
  if (order == nullptr) return to_json(json);
  return to_json_with(json, {{"order", order_text(*order, p.tiles)}});
}

std::string raster_ranking_json(const RasterRanking& ranking, int64_t top) {
  Json json;
  json["problem"] = to_string(ranking.problem.shape);
  json["dtype"] = to_string(ranking.problem.kind.dtype);
  json["cta"] = to_string(ranking.config.cta);
  json["cluster"] = to_string(ranking.config.cluster);
  json["stages"] = ranking.config.stages;
  json["device"] = ranking.device;
  json["predicted"] = true;  // by the cost model, not measured
  if (!ranking.not_runnable.empty()) json["not_runnable"] = ranking.not_runnable;
  for (const NamedNumber& number : numbers_of(ranking)) {
    const std::string key(number.name);
    if (!number.why_none.empty()) {
      json[key] = Json();
    } else if (number.is_bool) {
      json[key] = number.value != 0;
    } else {
      json[key] = number_json(number.value);
    }
  }
  json["ranking"] = Json::array();
  const size_t count = std::min(ranking.rasters.size(), static_cast<size_t>(top));
  for (size_t i = 0; i < count; ++i) json["ranking"].push_back(raster_json(ranking.rasters[i]));
  return to_json(json);
}

std::string sweep_json(const Sweep& sweep) {
  Json json;
  json["subject"] = sweep.subject;
  json["parameter"] = sweep.parameter;
  json["points"] = Json::array();
  for (size_t i = 0; i < sweep.at.size(); ++i) {
    Json point = {{sweep.parameter, sweep.at[i]}};
    for (const SweptNumber& number : sweep.numbers) {
      if (number.values[i]) point[number.name] = number_json(*number.values[i]);
    }
    if (!sweep.why_not[i].empty()) point[kWhyNot] = sweep.why_not[i];
    json["points"].push_back(std::move(point));
  }
  for (const SweptNumber& number : sweep.numbers) {
    json["least"].push_back(extreme_json(sweep, number, *argmin(number)));
    json["most"].push_back(extreme_json(sweep, number, *argmax(number)));
  }
  return to_json(json);
}

Sweep read_sweep(std::string_view text, const std::string& source) {
  Sweep sweep;
  const Node json = Node::parse_json(text, source);
  sweep.subject = json.at("subject").text();
  sweep.parameter = json.at("parameter").text();
  for (const Node& point : json.at("points").items()) {
    const size_t place = sweep.at.size();
    sweep.at.push_back(point.at(sweep.parameter).integer());
    sweep.why_not.emplace_back();
    for (const auto& [key, value] : point.pairs()) {
      if (key == kWhyNot) {
        sweep.why_not.back() = value.text();
      } else if (key != sweep.parameter) {
        set_number(sweep, key, place, value.number());
      }
    }
  }
  for (SweptNumber& number : sweep.numbers) number.values.resize(sweep.at.size());
  const bool is_rising = std::adjacent_find(sweep.at.begin(), sweep.at.end(),
                                            std::greater_equal<>()) == sweep.at.end();
  if (sweep.numbers.empty() || !is_rising) {
    throw usage_error(
        format("{}: a sweep needs a number, and its parameter's values must rise", source));
  }
  return sweep;
}

}  // namespace tilewright
