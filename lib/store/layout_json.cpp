#include "store/layout_json.hpp"

#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace tilewright {
namespace {

using Json = nlohmann::ordered_json;

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
  json["cosize"] = r.cosize;
  json["footprint"] = or_null(r.footprint);
  if (parts.element_bits && r.footprint) {
    json["element_bits"] = *parts.element_bits;
    json["footprint_bytes"] = footprint_bytes(r, *parts.element_bits);
  }
  json["rank"] = r.rank;
  json["depth"] = r.depth;
  json["injective"] = or_null(r.injective);
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
  if (parts.linear) json["linear"] = linear_json(*parts.linear);
  if (parts.steps) json["steps"] = *parts.steps;
  json["lint"] = lint_json(r.lint);
  std::string text = json.dump(2);
  if (parts.offsets) {
    // One line: a million offsets, indented, would be a million lines.
    std::string list;
    for (const IntTuple& offset : *parts.offsets) {
      if (!list.empty()) list += ",";
      list += tuple_json(offset).dump();
    }
    text.resize(text.size() - 2);  // the last "\n}"
    text += format(",\n  \"offsets\": [{}]\n}}", list);
  }
  return text + "\n";
}

}  // namespace tilewright
