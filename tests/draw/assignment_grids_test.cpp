#include "draw/assignment_grids.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "support/plans.hpp"
#include "support/scenes.hpp"

using namespace tilewright;
using namespace tilewright::testing;

namespace {

std::vector<PageBlock> grids(const Plan& s, bool by_cta = false) {
  return assignment_grids(s, dealt_units(s), {.by = by_cta ? UnitColor::Cta : UnitColor::Wave});
}

// The filled area of a grid, in tiles.
double tiles_filled(const PageBlock& block, const char* role, TileCoord tiles) {
  const RectangleItem outline = rectangles(block.items, "outline").front();
  double area = 0;
  for (const RectangleItem& r : rectangles(block.items, role)) area += r.width * r.height;
  return area / (outline.width * outline.height) * tiles.m * tiles.n;
}

}  // namespace

TEST_CASE("every tile to compute is filled once, in all problems of a group") {
  for (const PlanWords& words :
       {PlanWords{.problem = "1152x768x128,1152x768x1024,768x1152x128,768x1152x1024", .ctas = 108},
        {.problem = "1000x300x64", .ctas = 3, .raster = "swizzle-merge:2"},
        {.problem = "500x500x64", .ctas = 16, .raster = "hilbert"},
        {.problem = "700x900x512", .ctas = 5, .decomposition = "split-k:4"},
        {.problem = "5000x100x64", .ctas = 132, .group_schedule = "dynamic"}}) {
    CAPTURE(words.problem);
    const Plan s = plan_of(words);
    const std::vector<PageBlock> blocks = grids(s);
    REQUIRE(blocks.size() == s.problems.size());
    for (size_t i = 0; i < blocks.size(); ++i) {
      const TileCoord tiles = s.problems[i].tiles;
      CHECK(tiles_filled(blocks[i], "cell.", tiles) == doctest::Approx(tiles.m * tiles.n));
      CHECK(rectangles(blocks[i].items, "mark").empty());
      CHECK(rectangles(blocks[i].items, "uncovered").empty());
    }
  }
}

TEST_CASE("tiles show the CTAs of the round robin over the concatenated problems") {
  const Plan s = plan_of({.problem = "256x256x64,384x256x64,256x128x64", .ctas = 5});
  int64_t tile = 0;
  for (const PageBlock& block : grids(s)) {
    for (const std::string& text : texts_of(block.items, "text")) {
      CHECK(text == format("{}", tile++ % 5));
    }
  }
  CHECK(tile == 4 + 6 + 2);
}

// A figure in the documentation of CUTLASS's grouped scheduler: four SYR2K problems of 2x2 tiles on
// eight CTAs.
TEST_CASE("the plain scheduler sends CTAs 1 and 5 to unused tiles, the triangular one no CTA") {
  PlanWords words{.problem = "256x256x64,256x256x64,256x256x64,256x256x64", .ctas = 8};
  words.op = "syr2k";
  const auto numbers = [](const std::vector<PageBlock>& blocks) {
    std::vector<std::vector<std::string>> all;
    for (const PageBlock& block : blocks) all.push_back(texts_of(block.items, "text"));
    return all;
  };
  using Numbers = std::vector<std::vector<std::string>>;
  const std::vector<PageBlock> triangular = grids(plan_of(words));
  CHECK(numbers(triangular) ==
        Numbers{{"0", "1", "2"}, {"3", "4", "5"}, {"6", "7", "0"}, {"1", "2", "3"}});
  words.plain = true;
  const std::vector<PageBlock> plain = grids(plan_of(words));
  CHECK(numbers(plain) == Numbers{{"0", "1", "2", "3"},
                                  {"4", "5", "6", "7"},
                                  {"0", "1", "2", "3"},
                                  {"4", "5", "6", "7"}});
  for (const auto& blocks : {triangular, plain}) {
    for (const PageBlock& block : blocks) {
      CHECK(tiles_filled(block, "cell.", {2, 2}) == doctest::Approx(3));
      CHECK(tiles_filled(block, "uncovered", {2, 2}) == doctest::Approx(1));
    }
  }
}

TEST_CASE("padding and dropped tiles are drawn") {
  const Plan padded = plan_of({.problem = "1152x1152x64", .ctas = 64, .raster = "cutlass3:8"});
  const std::vector<PageBlock> blocks = grids(padded);
  CHECK(tiles_filled(blocks[0], "wasted", {9, 9}) == doctest::Approx(256 - 81));
  const Plan dropping = testing::plan_of({.problem = "256x256x64,384x384x64",
                                          .ctas = 4,
                                          .raster = "cutlass3:4",
                                          .emulation = Emulation::Cutlass3Grouped});
  CHECK(rectangles(grids(dropping)[1].items, "mark").size() == 2);
  CHECK(assignment_legend(dropping, dealt_units(dropping), 2).size() == 2);
}

TEST_CASE("divided tiles show all their CTAs and the colour of each part") {
  const Plan s = plan_of({.problem = "128x256x4096", .ctas = 8, .decomposition = "split-k:4"});
  const PageBlock block = grids(s, true).front();
  CHECK(texts_of(block.items, "text") == std::vector<std::string>{"0-3", "4-7"});
  CHECK(rectangles(block.items, "part.").size() == 8);
}

TEST_CASE("unit indices count the units of a CTA from 0") {
  std::vector<int64_t> next(5);
  for (const DealtUnit& dealt : dealt_units(plan_of({.problem = "512x512x64", .ctas = 5}))) {
    CHECK(dealt.unit_index == next[static_cast<size_t>(dealt.unit.cta)]++);
  }
}

TEST_CASE("plans too large for a picture are refused") {
  CHECK_THROWS_AS(dealt_units(plan_of({.problem = "131072x131072x64"})), Error);
  CHECK_THROWS_AS(require_drawable_grids(plan_of({.problem = "65664x128x64"})), Error);
  std::string many = "128x128x64";
  for (int i = 0; i < 64; ++i) many += ",128x128x64";
  CHECK_THROWS_AS(require_drawable_grids(plan_of({.problem = many})), Error);
  CHECK_NOTHROW(require_drawable_grids(plan_of({.problem = "65536x65536x64"})));
}

TEST_CASE(
    "tiles of a triangle keep their aspect ratio; macro tiles have lines; padding is outside") {
  // 3x5 tiles of 64x32, visited in squares of 64x64; the last square has padding.
  const Plan s = plan_of({.problem = "132x132x64", .cta = "64x32x64", .ctas = 4, .op = "syr2k"});
  const std::vector<SceneItem> items = grids(s).front().items;
  const RectangleItem outline = rectangles(items, "outline").front();
  const double cell = outline.width / 5;
  CHECK(outline.height == doctest::Approx(3 * 2 * cell));
  std::vector<double> columns;
  for (const SceneItem& item : items) {
    const auto* line = std::get_if<PathItem>(&item);
    if (line == nullptr || line->role != "tile-line") continue;
    if (line->points[0].x == line->points[1].x) {
      columns.push_back((line->points[0].x - outline.at.x) / cell);
    }
  }
  CHECK(columns == std::vector<double>{2, 4});
  double right = 0;
  for (const RectangleItem& r : rectangles(items, "uncovered")) {
    right = std::max(right, r.at.x + r.width);
  }
  CHECK(right == doctest::Approx(outline.at.x + 6 * cell));
}

TEST_CASE("grids of few rows and equal columns stand below each other, without empty problems") {
  std::string group;
  for (int i = 0; i < 32; ++i) group += format("{}{}x512x64", i == 0 ? "" : ",", i % 4 * 60);
  const Plan s = plan_of({.problem = group, .ctas = 7});
  const std::vector<PageBlock> blocks = grids(s);
  REQUIRE(blocks.size() == 1);
  int rows = 0;
  std::vector<std::string> names;
  for (size_t i = 0; i < s.problems.size(); ++i) {
    rows += s.problems[i].tiles.m;
    if (i % 4 > 0) names.push_back(format("{}: {}x512x64", i, i % 4 * 60));
  }
  CHECK(tiles_filled(blocks.front(), "cell.", {rows, 4}) == doctest::Approx(rows * 4));
  int64_t tile = 0;
  for (const std::string& text : texts_of(blocks.front().items, "text")) {
    CHECK(text == format("{}", tile++ % 7));
  }
  CHECK(tile == rows * 4);
  for (const std::string& text : texts_of(blocks.front().items, "axis")) {
    names.erase(std::remove(names.begin(), names.end(), text), names.end());
  }
  CHECK(names.empty());
  // Problems with other columns have grids of their own.
  CHECK(grids(plan_of({.problem = "64x512x64,64x512x64,64x512x64,64x512x64,0x512x64,64x640x64"}))
            .size() == 5);
}
