#include "draw/grid_diagram.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"
#include "draw/stroke_font.hpp"
#include "support/golden.hpp"

using namespace tilewright;

namespace {

GridReport report_of(const char* raster, TileCoord grid, int64_t ctas = 0,
                     ClusterShape cluster = {}) {
  GridReport report;
  report.raster = parse_raster(raster);
  report.cluster = cluster;
  report.proof = prove_grid(report.raster, grid, cluster);
  if (ctas > 0) report.waves = count_waves(report.proof, ctas, cluster);
  return report;
}

bool starts_with(const std::string& text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

struct Box {
  double left, top, right, bottom;
};

Box box_of(const RectangleItem& r) {
  return {r.at.x, r.at.y, r.at.x + r.width, r.at.y + r.height};
}

Box box_of(const PathItem& p) {
  Box box{1e9, 1e9, -1e9, -1e9};
  for (const Point at : p.points) {
    box = {std::min(box.left, at.x), std::min(box.top, at.y), std::max(box.right, at.x),
           std::max(box.bottom, at.y)};
  }
  return box;
}

Box box_of(const LabelItem& l) {
  const double width = text_width(l.text, l.size, l.bold);
  const double left = l.anchor == Anchor::Start    ? l.at.x
                      : l.anchor == Anchor::Middle ? l.at.x - width / 2
                                                   : l.at.x - width;
  return {left, l.at.y - capital_height(l.size), left + width, l.at.y};
}

bool overlap(const Box& a, const Box& b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

std::vector<Box> labels(const Scene& scene, std::string_view role) {
  std::vector<Box> boxes;
  for (const SceneItem& item : scene.items) {
    const auto* label = std::get_if<LabelItem>(&item);
    if (label != nullptr && label->role == role) boxes.push_back(box_of(*label));
  }
  return boxes;
}

// Areas of the rectangles of a role, in tiles.
double tiles_of(const Scene& scene, std::string_view role, double tile_area) {
  double area = 0;
  for (const SceneItem& item : scene.items) {
    const auto* r = std::get_if<RectangleItem>(&item);
    if (r != nullptr && starts_with(r->role, role)) area += r->width * r->height;
  }
  return area / tile_area;
}

double outline_area(const Scene& scene) {
  return tiles_of(scene, "outline", 1);
}

const TileCoord kGrids[] = {{1, 1},   {1, 2},  {8, 8},    {13, 10},   {1, 200},
                            {200, 1}, {3, 50}, {30, 100}, {128, 128}, {512, 3}};

}  // namespace

TEST_CASE("everything lies inside of the picture") {
  for (const TileCoord grid : kGrids) {
    for (const char* raster : {"row", "split-merge:4", "swizzle-merge:8,4", "split-merge:7x3@n"}) {
      for (const int64_t ctas : {0, 1, 132}) {
        if (grid.m == 512 && starts_with(raster, "split")) continue;  // overhang beyond the limit
        const Scene scene = grid_diagram(report_of(raster, grid, ctas));
        CAPTURE(raster);
        CAPTURE(grid.m);
        CAPTURE(grid.n);
        for (const SceneItem& item : scene.items) {
          const Box box = std::visit([](const auto& it) { return box_of(it); }, item);
          REQUIRE(box.left >= 4);
          REQUIRE(box.top >= 4);
          REQUIRE(box.right <= scene.width - 4);
          REQUIRE(box.bottom <= scene.height - 4);
        }
      }
    }
  }
}

TEST_CASE("labels do not overlap each other") {
  for (const TileCoord grid : kGrids) {
    for (const char* raster : {"col", "split-merge:3", "swizzle-merge:5"}) {
      const Scene scene = grid_diagram(report_of(raster, {std::min(grid.m, 500), grid.n}, 16));
      std::vector<Box> boxes;
      for (const char* role : {"title", "subtitle", "axis", "legend"}) {
        const std::vector<Box> more = labels(scene, role);
        boxes.insert(boxes.end(), more.begin(), more.end());
      }
      for (size_t i = 0; i < boxes.size(); ++i) {
        for (size_t j = 0; j < i; ++j) REQUIRE_FALSE(overlap(boxes[i], boxes[j]));
      }
    }
  }
}

TEST_CASE("areas of waves and overhang are as large as the proof says") {
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

TEST_CASE("tiles carry their slots where these are legible, and only there") {
  CHECK(labels(grid_diagram(report_of("swizzle-merge:4", {13, 10})), "slot").size() == 130);
  CHECK(labels(grid_diagram(report_of("split-merge:4", {13, 10})), "slot").size() == 160);
  CHECK(labels(grid_diagram(report_of("row", {128, 128})), "slot").empty());
  for (const SceneItem& item : grid_diagram(report_of("row", {20, 20})).items) {
    if (const auto* label = std::get_if<LabelItem>(&item)) CHECK(label->size >= 6);
  }
}

TEST_CASE("a picture has limits, overhang included") {
  CHECK_NOTHROW(grid_diagram(report_of("row", {512, 512})));
  CHECK_THROWS_AS(grid_diagram(report_of("row", {513, 1})), Error);
  CHECK_THROWS_AS(grid_diagram(report_of("row", {1, 513})), Error);
  CHECK_THROWS_AS(grid_diagram(report_of("split-merge:600", {13, 10})), Error);
  CHECK_NOTHROW(grid_diagram(report_of("swizzle-merge:600", {13, 10})));
}

TEST_CASE("scenes stay as they were looked at") {
  GridReport predicted = report_of("swizzle-merge:4,2@n", {6, 5}, 8);
  predicted.device = "h200";
  predicted.traffic = GridTraffic{.dram_read_bytes = 1.83e9, .l2_hit_rate = 0.853};
  const std::map<std::string, GridReport> reports = {
      {"grid_13x10_split_merge_4", report_of("split-merge:4", {13, 10})},
      {"grid_13x10_swizzle_merge_4", report_of("swizzle-merge:4", {13, 10}, 64)},
      {"grid_6x5_predicted", predicted},
      {"grid_5x6_cluster_2x1", report_of("split-merge:2x4", {5, 6}, 12, {2, 1})},
      {"grid_1x40_row", report_of("row", {1, 40}, 6)},
      {"grid_40x40_swizzle_merge_8", report_of("swizzle-merge:8", {40, 40}, 132)},
  };
  for (const auto& [name, report] : reports) {
    const std::string difference = golden_difference(name + ".scene", dump(grid_diagram(report)));
    CHECK_MESSAGE(difference.empty(), difference);
  }
}
