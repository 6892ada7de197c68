#include "draw/grid_diagram.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"
#include "draw/palette.hpp"
#include "support/golden.hpp"
#include "support/grid_reports.hpp"
#include "support/scenes.hpp"

using namespace tilewright;
using namespace tilewright::testing;

namespace {

using testing::outline_area;

// The area of all rectangles of a role, in tiles.
double tiles_of(const Scene& scene, std::string_view role, double tile_area) {
  double area = 0;
  for (const SceneItem& item : scene.items) {
    const auto* r = std::get_if<RectangleItem>(&item);
    if (r != nullptr && starts_with(r->role, role)) area += r->width * r->height;
  }
  return area / tile_area;
}

const TileCoord kGrids[] = {{1, 1},   {1, 2},  {8, 8},    {13, 10},   {1, 200},
                            {200, 1}, {3, 50}, {30, 100}, {128, 128}, {512, 3}};

// Four waves of 8 CTAs that read 1, 5, 2.5 and 2 times their share of A and B.
GridReport reused() {
  GridReport report = report_of("swizzle-merge:4,2@n", {6, 5}, 8);
  report.device = "h200";
  report.traffic = GridTraffic{.dram_read_bytes = 200e6,
                               .l2_hit_rate = 0.5,
                               .compulsory_bytes = 75e6,
                               .waves = {{8, 20e6}, {8, 100e6}, {8, 50e6}, {6, 30e6}}};
  return report;
}

}  // namespace

TEST_CASE("everything lies inside of the picture") {
  for (const TileCoord grid : kGrids) {
    for (const char* raster : {"row", "split-merge:4", "swizzle-merge:8,4", "split-merge:7x3@n"}) {
      for (const int64_t ctas : {0, 1, 132}) {
        if (grid.m == 512 && starts_with(raster, "split")) continue;  // overhang too large
        const Scene scene = grid_diagram(report_of(raster, grid, ctas));
        CAPTURE(raster);
        CAPTURE(grid.m);
        CAPTURE(grid.n);
        REQUIRE(outside_items(scene) == "");
      }
    }
  }
}

TEST_CASE("labels do not overlap each other") {
  for (const TileCoord grid : kGrids) {
    for (const char* raster : {"col", "split-merge:3", "swizzle-merge:5"}) {
      const Scene scene = grid_diagram(report_of(raster, {std::min(grid.m, 500), grid.n}, 16));
      REQUIRE(overlapping_labels(scene, {"title", "subtitle", "axis", "legend"}) == "");
    }
  }
}

TEST_CASE("the areas of waves and overhang equal the proof's tile counts") {
  for (const TileCoord grid : {TileCoord{8, 8}, {13, 10}, {5, 31}, {40, 40}}) {
    for (const char* raster : {"row", "split-merge:4", "split-merge:3x5@n", "swizzle-merge:4,2"}) {
      for (const ClusterShape cluster : {ClusterShape{1, 1}, {2, 1}, {1, 2}}) {
        const GridReport report = report_of(raster, grid, 24, cluster);
        const Scene scene = grid_diagram(report);
        const double tile = outline_area(scene) / (grid.m * grid.n);
        CHECK(tiles_of(scene, "wave.", tile) ==
              doctest::Approx(static_cast<double>(report.proof.tile_count)));
        CHECK(tiles_of(scene, "overhang", tile) ==
              doctest::Approx(static_cast<double>(report.proof.overhang)));
      }
    }
  }
}

TEST_CASE("tiles show their slots only where these are legible") {
  CHECK(label_boxes(grid_diagram(report_of("swizzle-merge:4", {13, 10})), "slot").size() == 130);
  CHECK(label_boxes(grid_diagram(report_of("split-merge:4", {13, 10})), "slot").size() == 160);
  CHECK(label_boxes(grid_diagram(report_of("row", {128, 128})), "slot").empty());
  for (const SceneItem& item : grid_diagram(report_of("row", {20, 20})).items) {
    if (const auto* label = std::get_if<LabelItem>(&item)) CHECK(label->size >= 6);
  }
}

TEST_CASE(
    "two rasters of a grid are drawn side by side with the same cell size and the same legend") {
  const Scene scene = grid_comparison(report_of("split-merge:4", {13, 10}, 32),
                                      report_of("swizzle-merge:4", {13, 10}, 32));
  const std::vector<RectangleItem> outlines = rectangles(scene.items, "outline");
  REQUIRE(outlines.size() == 2);
  CHECK(outlines[0].width == outlines[1].width);
  CHECK(outlines[0].height == outlines[1].height);
  CHECK(outlines[0].at.y == outlines[1].at.y);
  CHECK(path_count(scene.items, "gutter") == 1);
  CHECK(texts_of(scene.items, "caption") ==
        std::vector<std::string>{"split-merge:4", "swizzle-merge:4"});
  CHECK(tooltip_texts(scene.items).size() == 160 + 130);
  const std::vector<std::string> legend = texts_of(scene.items, "legend");
  CHECK(std::count(legend.begin(), legend.end(), "wave 4") == 1);
  CHECK(std::count(legend.begin(), legend.end(), "overhang") == 1);
  CHECK(outside_items(scene) == "");
  CHECK(overlapping_labels(scene, {"title", "subtitle", "axis", "legend", "caption"}) == "");
  CHECK_THROWS_AS(grid_comparison(report_of("row", {513, 1}), report_of("col", {513, 1})), Error);
}

TEST_CASE("a split gives a launch of one CTA a slot two extents, other rasters one extent") {
  const auto launch = [](const char* raster, TileCoord grid) {
    const std::string line = texts_of(grid_diagram(report_of(raster, grid)).items, "subtitle")[0];
    return line.substr(line.find("BIDx"));
  };
  CHECK(launch("split-merge:4", {13, 10}) == "BIDx 40, BIDy 4");
  CHECK(launch("split-merge:4@n", {13, 10}) == "BIDx 52, BIDy 3");
  CHECK(launch("split-merge:4x3", {13, 10}) == "BIDx 12, BIDy 16");
  CHECK(launch("swizzle-merge:4", {13, 10}) == "BIDx 130");
  // The CTA at (x, y) of the launch computes the tile of slot x + y * extent.
  const std::vector<std::string> tooltips =
      tooltip_texts(grid_diagram(report_of("split-merge:4", {13, 10})).items);
  CHECK(tooltips[0] == "tile 0,0: slot 0, BIDx 0, BIDy 0");
  CHECK(tooltips[5 * 10 + 3] == "tile 5,3: slot 53, BIDx 13, BIDy 1");
}

TEST_CASE("a picture has limits, which include the overhang") {
  CHECK_NOTHROW(grid_diagram(report_of("row", {512, 512})));
  CHECK_THROWS_AS(grid_diagram(report_of("row", {513, 1})), Error);
  CHECK_THROWS_AS(grid_diagram(report_of("row", {1, 513})), Error);
  CHECK_THROWS_AS(grid_diagram(report_of("split-merge:600", {13, 10})), Error);
  CHECK_NOTHROW(grid_diagram(report_of("swizzle-merge:600", {13, 10})));
}

TEST_CASE("scenes equal the reviewed golden files") {
  GridReport predicted = report_of("swizzle-merge:4,2@n", {6, 5}, 8);
  predicted.device = "h200";
  predicted.traffic =
      GridTraffic{.dram_read_bytes = 1.83e9, .l2_hit_rate = 0.853, .compulsory_bytes = 0.5e9};
  const std::map<std::string, GridReport> reports = {
      {"grid_13x10_split_merge_4", report_of("split-merge:4", {13, 10})},
      {"grid_13x10_swizzle_merge_4", report_of("swizzle-merge:4", {13, 10}, 64)},
      {"grid_6x5_predicted", predicted},
      {"grid_5x6_cluster_2x1", report_of("split-merge:2x4", {5, 6}, 12, {2, 1})},
      {"grid_1x40_row", report_of("row", {1, 40}, 6)},
      {"grid_40x40_swizzle_merge_8", report_of("swizzle-merge:8", {40, 40}, 132)},
      {"grid_12x4_shared", shared_report_of("swizzle-merge:2", {12, 4}, Collective::ReduceScatter,
                                            {.gpus = 2, .chunks = 3, .order = RankOrder::Chunks})},
  };
  for (const auto& [name, report] : reports) {
    const std::string difference = golden_difference(name + ".scene", dump(grid_diagram(report)));
    CHECK_MESSAGE(difference.empty(), difference);
  }
}

TEST_CASE("GPUs that share a grid colour its tiles by owner, stronger the later they are visited") {
  const tw::PeerBlocks blocks{.gpus = 4, .rank = 1, .chunks = 2, .order = RankOrder::Chunks};
  const GridReport report = shared_report_of("row", {16, 4}, Collective::AllGather, blocks);
  const Scene scene = grid_diagram(report);
  const double tile = outline_area(scene) / 64;
  CHECK(tiles_of(scene, "owner.", tile) == doctest::Approx(64));
  // Own rows come first: the first two of them are pale, and the last two are not.
  CHECK(tiles_of(scene, format("owner.{}", 1 * palette::kShades + 3), tile) == doctest::Approx(8));
  CHECK(tiles_of(scene, format("owner.{}", 1 * palette::kShades + 1), tile) == doctest::Approx(8));
  CHECK(outside_items(scene) == "");
  const std::vector<std::string> legend = texts_of(scene.items, "legend");
  CHECK(std::count(legend.begin(), legend.end(), "rows of GPU 3") == 1);
  CHECK(tiles_of(grid_diagram(report, GridColor::Slot), "slots.", tile) == doctest::Approx(64));
  CHECK_THROWS_WITH(grid_diagram(report_of("row", {16, 4}), GridColor::Owner),
                    doctest::Contains("add --parallel"));
}

TEST_CASE("the overhang of blocks is not drawn") {
  const tw::PeerBlocks blocks{.gpus = 2, .chunks = 2};
  for (const char* const raster : {"split-merge:2", "cutlass3:4", "swizzle-merge:32"}) {
    const Scene scene =
        grid_diagram(shared_report_of(raster, {12, 5}, Collective::ReduceScatter, blocks));
    CHECK(rectangles(scene.items, "overhang").empty());
    CHECK(outside_items(scene) == "");
  }
}

TEST_CASE("the traffic of its wave colours a tile, and every wave has a bar for its reads") {
  const GridReport report = reused();
  const Scene scene = grid_diagram(report, GridColor::L2);
  const double tile = outline_area(scene) / 30;
  CHECK(tiles_of(scene, "heat.0", tile) == doctest::Approx(8));  // wave 0 reads its share
  CHECK(tiles_of(scene, "heat.5", tile) == doctest::Approx(8));  // wave 1 five times that
  CHECK(tiles_of(scene, "heat.", tile) == doctest::Approx(30));
  std::vector<double> heights;
  for (const SceneItem& item : scene.items) {
    const auto* bar = std::get_if<RectangleItem>(&item);
    if (bar != nullptr && bar->role == "wave-bar") heights.push_back(bar->height);
  }
  REQUIRE(heights.size() == 4);
  CHECK(heights[1] == doctest::Approx(5 * heights[0]));
  CHECK(heights[2] == doctest::Approx(2.5 * heights[0]));
  const std::vector<std::string> tooltips = tooltip_texts(scene.items);
  const auto wave_1 = [](const std::string& text) {
    return starts_with(text, "tile") && text.find("wave 1") != std::string::npos;
  };
  CHECK(std::count_if(tooltips.begin(), tooltips.end(), wave_1) == 8);
  for (const std::string& text : tooltips) {
    if (wave_1(text)) CHECK(text.find(", DRAM re-reads 5.0x") != std::string::npos);
  }
  const std::vector<std::string> legend = texts_of(scene.items, "legend");
  CHECK(std::any_of(legend.begin(), legend.end(),
                    [](const std::string& text) { return starts_with(text, "DRAM re-reads"); }));
  CHECK(outside_items(scene) == "");
  CHECK(overlapping_labels(scene, {"title", "subtitle", "axis", "legend"}) == "");
  const std::string difference = golden_difference("grid_6x5_l2.scene", dump(scene));
  CHECK_MESSAGE(difference.empty(), difference);
}

TEST_CASE("the traffic of a tile shape that no kernel runs is marked") {
  GridReport report = reused();
  const auto marked = [&] {
    const std::vector<std::string> lines = texts_of(grid_diagram(report).items, "subtitle");
    return std::count(lines.begin(), lines.end(),
                      "none of our kernels runs this tile: too large") == 1;
  };
  CHECK_FALSE(marked());
  report.traffic->not_runnable = "too large";
  CHECK(marked());
}

TEST_CASE("colours by data missing in the report are refused, the others keep the tiles") {
  const GridReport plain = report_of("row", {6, 5});
  CHECK_THROWS_AS(grid_diagram(plain, GridColor::L2), Error);
  CHECK_THROWS_AS(grid_diagram(plain, GridColor::Wave), Error);
  CHECK(dump(grid_diagram(plain, GridColor::Slot)) == dump(grid_diagram(plain)));
  CHECK(dump(grid_diagram(reused(), GridColor::Wave)) == dump(grid_diagram(reused())));
  CHECK_THROWS_AS(parse_grid_color("l3"), Error);
}
