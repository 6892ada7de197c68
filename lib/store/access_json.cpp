#include "store/access_json.hpp"

#include <nlohmann/json.hpp>

namespace tilewright {
namespace {

using Json = nlohmann::ordered_json;

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

}  // namespace

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
  return document("shared", list).dump(2) + "\n";
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
  return document("global", list).dump(2) + "\n";
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
  return json.dump(2) + "\n";
}

}  // namespace tilewright
