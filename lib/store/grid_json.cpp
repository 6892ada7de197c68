#include "store/grid_json.hpp"

#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace tilewright {
namespace {

using Json = nlohmann::ordered_json;

Json pair(TileCoord tile) {
  return Json::array({tile.m, tile.n});
}

Json list(const std::vector<TileCoord>& tiles) {
  Json all = Json::array();
  for (const TileCoord tile : tiles) all.push_back(pair(tile));
  return all;
}

// One line: a list of a million tiles, indented, would be ten million lines.
std::string order_text(const std::vector<TileCoord>& order, TileCoord grid) {
  std::string text = "[";
  for (const TileCoord tile : order) {
    if (text.size() > 1) text += ",";
    text += tw::is_inside(grid, tile) ? format("[{},{}]", tile.m, tile.n) : "null";
  }
  return text + "]";
}

}  // namespace

std::string grid_json(const GridReport& r, const std::vector<TileCoord>* order) {
  const GridProof& p = r.proof;
  Json json;
  json["raster"] = to_string(r.raster);
  json["cluster"] = Json::array({r.cluster.m, r.cluster.n});
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
  std::string text = json.dump(2);
  if (order != nullptr) {
    text.resize(text.size() - 2);  // the last "\n}"
    text += format(",\n  \"order\": {}\n}}", order_text(*order, p.tiles));
  }
  return text + "\n";
}

}  // namespace tilewright
