#include "draw/grid_path.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "draw/grid_diagram.hpp"
#include "support/grid_reports.hpp"
#include "support/scenes.hpp"

using namespace tilewright;
using namespace tilewright::testing;

namespace {

// Tests 401 points of the line.
bool runs_through(Point a, Point b, const Box& box) {
  constexpr int kPoints = 400;
  for (int i = 0; i <= kPoints; ++i) {
    const double t = i / static_cast<double>(kPoints);
    const Point p = {a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t};
    if (p.x > box.left && p.x < box.right && p.y > box.top && p.y < box.bottom) return true;
  }
  return false;
}

// The number of slot labels that the path crosses.
int struck_numbers(const Scene& scene) {
  std::vector<Box> numbers = label_boxes(scene, "slot");
  REQUIRE_FALSE(numbers.empty());
  int struck = 0;
  for (const SceneItem& item : scene.items) {
    const auto* path = std::get_if<PathItem>(&item);
    if (path == nullptr || !starts_with(path->role, "path.") || path->closed) continue;
    for (size_t i = 1; i < path->points.size(); ++i) {
      struck += static_cast<int>(std::count_if(numbers.begin(), numbers.end(), [&](const Box& box) {
        return runs_through(path->points[i - 1], path->points[i], box);
      }));
    }
  }
  return struck;
}

}  // namespace

TEST_CASE("the path crosses no slot label") {
  for (const char* raster : {"row", "col", "split-merge:4", "swizzle-merge:4", "hilbert", "morton",
                             "swizzle-merge:8,4@n", "snake:3", "triton:4", "cutlass2:4"}) {
    for (const TileCoord grid : {TileCoord{4, 4}, {13, 10}, {7, 16}}) {
      CAPTURE(std::string(raster));
      CAPTURE(grid.m);
      CHECK(struck_numbers(grid_diagram(report_of(raster, grid, 32))) == 0);
    }
  }
}

TEST_CASE("a large grid's path follows its bands and labels their first and last slots") {
  for (const int side : {64, 128, 200}) {
    const Scene scene = grid_diagram(report_of("swizzle-merge:8", {side, side}, 132));
    const std::vector<std::string> values = texts_of(scene.items, "path.value");
    CHECK(path_count(scene.items, "path.coarse") == side / 8);
    REQUIRE(values.size() >= static_cast<size_t>(side) / 4);
    for (int band = 0; band < side / 8; ++band) {
      for (const int slot : {band * 8 * side, (band + 1) * 8 * side - 1}) {
        CHECK(std::find(values.begin(), values.end(), format("{}", slot)) != values.end());
      }
    }
    CHECK(overlapping_labels(scene, {"path.value", "axis", "title"}) == "");
    CHECK(outside_items(scene) == "");
  }
}

TEST_CASE("bands too narrow for labels are thinned out, and curves have labels along the path") {
  const Scene rows = grid_diagram(report_of("row", {200, 200}, 132));
  CHECK(path_count(rows.items, "path.coarse") >= 30);
  CHECK(path_count(rows.items, "path.coarse") <= 70);
  CHECK(overlapping_labels(rows, {"path.value"}) == "");
  const Scene curve = grid_diagram(report_of("hilbert", {128, 128}, 132));
  CHECK(path_count(curve.items, "path.coarse") == 1);
  CHECK(texts_of(curve.items, "path.value").size() >= 8);
  CHECK(overlapping_labels(curve, {"path.value"}) == "");
  const Scene nested = grid_diagram(report_of("morton", {200, 200}));
  CHECK(path_count(nested.items, "path.coarse") == 8);
}
