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

}  // namespace

std::string layout_json(const LayoutReport& r, const std::vector<IntTuple>* offsets) {
  Json json;
  json["layout"] = r.text;
  if (r.value) {
    json["value"] = tuple_json(*r.value);
  } else {
    json["size"] = r.size;
    json["cosize"] = r.cosize;
    json["footprint"] = or_null(r.footprint);
    json["rank"] = r.rank;
    json["depth"] = r.depth;
    json["injective"] = or_null(r.injective);
  }
  json["lint"] = lint_json(r.lint);
  std::string text = json.dump(2);
  if (offsets != nullptr) {
    // One line: a million offsets, indented, would be a million lines.
    std::string list;
    for (const IntTuple& offset : *offsets) {
      if (!list.empty()) list += ",";
      list += tuple_json(offset).dump();
    }
    text.resize(text.size() - 2);  // the last "\n}"
    text += format(",\n  \"offsets\": [{}]\n}}", list);
  }
  return text + "\n";
}

}  // namespace tilewright
