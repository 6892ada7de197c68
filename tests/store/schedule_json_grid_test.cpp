#include <doctest/doctest.h>

#include "record/document.hpp"
#include "store/schedule_json.hpp"

using namespace tilewright;
using Json = Document;

namespace {

GridReport report_of(const char* raster, TileCoord grid) {
  GridReport report;
  report.raster = parse_raster(raster);
  report.proof = prove_grid(report.raster, grid);
  return report;
}

}  // namespace

TEST_CASE("a grid that GPUs share names the one whose order it is") {
  GridReport report = report_of("row", {4, 2});
  CHECK_FALSE(Json::parse(grid_json(report, nullptr)).contains("parallel"));
  report.peers = {Collective::ReduceScatter, {.gpus = 2, .rank = 1, .chunks = 2}};
  const std::vector<TileCoord> order = slot_order(report);
  const Json json = Json::parse(grid_json(report, &order));
  CHECK(json["parallel"] == Json{{"collective", "reduce-scatter"},
                                 {"gpus", 2},
                                 {"gpu", 1},
                                 {"rank_order", "ring"},
                                 {"chunks", 2}});
  CHECK(json["order"][0] == Json::array({0, 0}));
  CHECK(json["order"][7] == Json::array({3, 1}));
}

TEST_CASE("the keys of the contract") {
  const Json json = Json::parse(grid_json(report_of("split-merge:4", {13, 10}), nullptr));
  CHECK(json["tiles"] == Json::array({13, 10}));
  CHECK(json["tile_count"] == 130);
  CHECK(json["slots"] == 160);
  CHECK(json["overhang"] == 30);
  CHECK(json["waste_pct"].get<double>() == doctest::Approx(23.0769));
  CHECK(json["bijective"] == false);
  CHECK(json["missing"] == 0);
  CHECK(json["duplicates"] == 0);
  CHECK_FALSE(json.contains("order"));
  CHECK_FALSE(json.contains("waves"));
  CHECK_FALSE(json.contains("dram_read_bytes"));
}

TEST_CASE("the order lists tiles by slot, null for overhang") {
  for (const char* raster : {"split-merge:2", "swizzle-merge:4,2"}) {
    const GridReport report = report_of(raster, {3, 2});
    const std::vector<TileCoord> order = raster_order(report.raster, {3, 2});
    const Json json = Json::parse(grid_json(report, &order));
    REQUIRE(json["order"].size() == order.size());
    for (size_t slot = 0; slot < order.size(); ++slot) {
      if (tw::is_inside({3, 2}, order[slot])) {
        CHECK(json["order"][slot] == Json::array({order[slot].m, order[slot].n}));
      } else {
        CHECK(json["order"][slot].is_null());
      }
    }
  }
}

TEST_CASE("a device adds its keys, marked as predicted") {
  GridReport report = report_of("row", {4, 4});
  report.device = "h200";
  report.waves = count_waves(report.proof, 8, {});
  report.traffic =
      GridTraffic{.dram_read_bytes = 1e9, .l2_hit_rate = 0.75, .compulsory_bytes = 2e8};
  const Json json = Json::parse(grid_json(report, nullptr));
  CHECK(json["waves"] == 2);
  CHECK(json["wave_efficiency"] == 1.0);
  CHECK(json["dram_read_bytes"] == 1e9);
  CHECK(json["compulsory_bytes"] == 2e8);
  CHECK(json["l2_hit_rate"] == 0.75);
  CHECK(json["predicted"] == true);
  CHECK(json["device"] == "h200");
  CHECK_FALSE(json.contains("not_runnable"));
  report.traffic->not_runnable = "too large";
  CHECK(Json::parse(grid_json(report, nullptr))["not_runnable"] == "too large");
}

TEST_CASE("counter-examples are listed beside their counts") {
  GridReport report = report_of("row", {2, 2});
  const std::vector<TileCoord> order = {{0, 0}, {0, 0}, {1, 0}};
  report.proof = prove_order(order, {2, 2});
  const Json json = Json::parse(grid_json(report, nullptr));
  CHECK(json["missing"] == 2);
  CHECK(json["missing_tiles"] == Json::parse("[[0,1],[1,1]]"));
  CHECK(json["duplicate_tiles"] == Json::parse("[[0,0]]"));
}
