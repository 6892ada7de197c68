#include "store/nested_json.hpp"

#include <nlohmann/json.hpp>

namespace tilewright {

std::string nested_json(const NestedReport& r) {
  nlohmann::ordered_json json;
  json["layout"] = to_string(r.layout);
  json["vector_shape"] = vector_shape(r.layout);
  json["distributed_shape"] = distributed_shape(r.layout);
  json["per_thread_shape"] = per_thread_shape(r.layout);
  json["subgroup_size"] = r.workgroup.subgroup_size;
  json["subgroups"] = r.workgroup.subgroups;
  json["subgroup_ids"] = r.subgroup_ids;
  json["thread_ids"] = r.thread_ids;
  json["replicated"] = r.replicated;
  json["uncovered"] = r.uncovered;
  json["lint"] = nlohmann::ordered_json::array();
  for (const NestedLint& lint : r.lint) {
    json["lint"].push_back({{"code", lint.code}, {"message", lint.message}});
  }
  if (r.thread) {
    json["thread"] = r.thread->thread;
    json["virtual_subgroup"] = r.thread->at.subgroup;
    json["virtual_thread"] = r.thread->at.thread;
    json["elements"] = r.thread->elements;
  }
  return json.dump(2) + "\n";
}

}  // namespace tilewright
