#include "store/raster_ranking_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tilewright {
namespace {

using Json = nlohmann::ordered_json;

Json raster_json(const RankedRaster& r) {
  Json json;
  json["raster"] = to_string(r.raster);
  json["predicted_us"] = r.predicted.us;
  json["dram_read_bytes"] = r.predicted.dram_read_bytes;
  json["dram_write_bytes"] = r.predicted.dram_write_bytes;
  json["l2_hit_rate"] = r.predicted.l2_hit_rate;
  json["slots"] = r.predicted.slots;
  json["waste_pct"] = r.waste_pct;
  json["waves"] = r.predicted.waves;
  json["wave_efficiency"] = r.predicted.wave_efficiency;
  return json;
}

}  // namespace

std::string raster_ranking_json(const RasterRanking& ranking, int64_t top) {
  Json json;
  json["problem"] = to_string(ranking.problem.shape);
  json["dtype"] = to_string(ranking.problem.dtype);
  json["cta"] = to_string(ranking.config.cta);
  json["cluster"] = to_string(ranking.config.cluster);
  json["stages"] = ranking.config.stages;
  json["device"] = ranking.device;
  json["predicted"] = true;  // by the cost model, not measured
  if (!ranking.not_runnable.empty()) json["not_runnable"] = ranking.not_runnable;
  for (const NamedNumber& number : numbers_of(ranking)) {
    const std::string key(number.name);
    const auto whole = static_cast<int64_t>(number.value);
    if (number.is_truth) {
      json[key] = number.value != 0;
    } else if (static_cast<double>(whole) == number.value) {
      json[key] = whole;
    } else {
      json[key] = number.value;
    }
  }
  json["ranking"] = Json::array();
  const size_t count = std::min(ranking.rasters.size(), static_cast<size_t>(top));
  for (size_t i = 0; i < count; ++i) json["ranking"].push_back(raster_json(ranking.rasters[i]));
  return json.dump(2) + "\n";
}

}  // namespace tilewright
