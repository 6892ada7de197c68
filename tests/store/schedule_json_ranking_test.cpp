#include <doctest/doctest.h>

#include "record/document.hpp"
#include "store/schedule_json.hpp"
#include "support/devices.hpp"

using namespace tilewright;
using Json = Document;

TEST_CASE("the ranking is listed best first, with every number that checks can name") {
  const TileConfig config{
      .cta = parse_tile("128x256x64"), .cluster = {}, .stages = 4, .raster = {}};
  const RasterRanking r = rank_known_rasters({{4096, 4096, 4096}}, config, testing::h200());
  const Json json = Json::parse(raster_ranking_json(r, 7));
  CHECK(json["problem"] == "4096x4096x4096");
  CHECK(json["cta"] == "128x256x64");
  CHECK(json["cluster"] == "1x1");
  CHECK(json["device"] == "h200");
  CHECK(json["predicted"] == true);
  CHECK_FALSE(json.contains("not_runnable"));
  CHECK(json["tile_count"] == 32 * 16);
  CHECK(json["no_predicted_difference"].is_boolean());
  REQUIRE(json["ranking"].size() == 7);
  for (size_t i = 0; i < 7; ++i) {
    CHECK(json["ranking"][i]["raster"] == to_string(r.rasters[i].raster));
    CHECK(json["ranking"][i]["predicted_us"] == r.rasters[i].predicted.us);
    CHECK(json["ranking"][i]["dram_read_bytes"] == r.rasters[i].predicted.dram_read_bytes);
    CHECK(json["ranking"][i]["waste_pct"] == r.rasters[i].waste_pct);
  }
  for (const NamedNumber& number : numbers_of(r)) CHECK(json.contains(std::string(number.name)));
  CHECK(Json::parse(raster_ranking_json(r, 100000))["ranking"].size() == r.rasters.size());
}

TEST_CASE("a tile that no kernel runs is ranked with the reason") {
  const TileConfig config{
      .cta = parse_tile("512x512x64"), .cluster = {}, .stages = 2, .raster = {}};
  const RasterRanking r = rank_known_rasters({{4096, 4096, 4096}}, config, testing::h200());
  const std::string reason = Json::parse(raster_ranking_json(r, 1))["not_runnable"];
  CHECK(reason.find("cta 512x512x64") == 0);
}
