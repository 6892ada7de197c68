#include "draw/layout_diagram.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>

#include "base/error.hpp"
#include "layout/text/layout_expression.hpp"
#include "support/golden.hpp"
#include "support/scenes.hpp"

using namespace tilewright;

namespace {

using testing::count_items;
using testing::outline_area;

std::vector<std::string> labels(const Scene& scene, std::string_view role) {
  std::vector<std::string> texts;
  for (const SceneItem& item : scene.items) {
    const auto* label = std::get_if<LabelItem>(&item);
    if (label != nullptr && label->role == role) texts.push_back(label->text);
  }
  return texts;
}

double cell_area(const Scene& scene) {
  double area = 0;
  for (const SceneItem& item : scene.items) {
    const auto* r = std::get_if<RectangleItem>(&item);
    if (r != nullptr && r->role.substr(0, 5) == "cell.") area += r->width * r->height;
  }
  return area;
}

}  // namespace

TEST_CASE("every coordinate shows its offset exactly once, for any rank") {
  for (const char* text :
       {"1:0", "7:3", "100:2", "(8,4):(4,1)", "((2,4),(2,2)):((1,4),(2,16))",
        "(4,3,(2,2)):(12,1,(48,0))", "(2,3,2,2):(1,2,6,12)", "Sw<2,1,3> o 0 o (8,8):(8,1)"}) {
    const ComposedLayout layout = parse_layout(text);
    std::vector<std::string> expected;
    for (int64_t i = 0; i < size(layout.layout); ++i) {
      expected.push_back(std::to_string(offset_at(layout, i)));
    }
    std::vector<std::string> shown = labels(layout_diagram(layout, {}), "text");
    std::sort(expected.begin(), expected.end());
    std::sort(shown.begin(), shown.end());
    CAPTURE(text);
    CHECK(shown == expected);
  }
}

TEST_CASE("wide layouts are compared one below the other") {
  for (const char* text :
       {"(8,64):(64,1)", "(4,256):(256,1)", "(2,512):(512,1)", "(8,64,4):(64,1,512)"}) {
    CAPTURE(text);
    const std::string plain = text;
    const Scene scene =
        layout_comparison(parse_layout(plain), parse_layout("Sw<2,2,2> o 0 o " + plain), {});
    CHECK(scene.width <= 2060);
    CHECK(testing::outside_items(scene) == "");
    const LabelItem* before = nullptr;
    const LabelItem* after = nullptr;
    for (const SceneItem& item : scene.items) {
      const auto* const label = std::get_if<LabelItem>(&item);
      if (label == nullptr || label->role != "caption") continue;
      if (label->text.find("before:") == 0) before = label;
      if (label->text.find("after:") == 0) after = label;
    }
    REQUIRE(before != nullptr);
    REQUIRE(after != nullptr);
    CHECK(before->at.x == after->at.x);
    CHECK(before->at.y < after->at.y);
  }
  const Scene small =
      layout_comparison(parse_layout("(8,8):(8,1)"), parse_layout("(8,8):(1,8)"), {});
  const std::vector<Box> captions = testing::label_boxes(small, "caption");
  CHECK(captions.at(0).bottom == captions.at(1).bottom);
}

TEST_CASE("cells too small for text still cover the layout") {
  const ComposedLayout layout = parse_layout("Sw<3,3,3> o 0 o (128,128):(128,1)");
  const Scene scene = layout_diagram(layout, {.color = CellColor::Bank, .element_bytes = 2});
  CHECK(labels(scene, "text").empty());
  CHECK(cell_area(scene) == doctest::Approx(outline_area(scene)));
}

TEST_CASE("all coordinates that share an offset are flagged") {
  CHECK(count_items(layout_diagram(parse_layout("(4,3):(1,0)"), {}), "flag") == 12);
  CHECK(count_items(layout_diagram(parse_layout("(4,3):(1,4)"), {}), "flag") == 0);
  // Offsets 0 to 3 and 2 to 5 share 2 and 3.
  CHECK(count_items(layout_diagram(parse_layout("(4,2):(1,2)"), {}), "flag") == 4);
}

TEST_CASE("a comparison outlines one element in both layouts") {
  const ComposedLayout plain = parse_layout("(8,8):(8,1)");
  const ComposedLayout swizzled = parse_layout("Sw<3,0,3> o 0 o (8,8):(8,1)");
  CHECK(count_items(layout_comparison(plain, swizzled, {}), "mark") == 2);
  CHECK(count_items(layout_comparison(plain, plain, {}), "mark") == 0);
  CHECK_THROWS_AS(layout_comparison(plain, parse_layout("(8,4):(8,1)"), {}), Error);
}

TEST_CASE("a picture of a layout has limits") {
  CHECK_NOTHROW(layout_diagram(parse_layout("(512,512):(512,1)"), {}));
  CHECK_THROWS_AS(layout_diagram(parse_layout("(513,2):(2,1)"), {}), Error);
  CHECK_THROWS_AS(layout_diagram(parse_layout("(2,2,65):(1,2,4)"), {}), Error);
  CHECK_THROWS_AS(layout_diagram(parse_layout("(4096,4096):(4096,1)"), {}), Error);
  CHECK_THROWS_AS(layout_diagram(parse_layout("(8,8):(8,1)"), {.color = CellColor::Bank}), Error);
  LayoutView outside;
  outside.element = IntTuple(64);
  CHECK_THROWS_AS(layout_diagram(parse_layout("(8,8):(8,1)"), outside), Error);
}

TEST_CASE("scenes of layouts equal the reviewed golden files") {
  const LayoutView banks{.color = CellColor::Bank, .element_bytes = 4};
  const std::map<std::string, Scene> scenes = {
      {"layout_nested", layout_diagram(parse_layout("((2,2),(2,2)):((1,4),(2,8))"), {})},
      {"layout_slices", layout_diagram(parse_layout("(2,3,(2,2)):(3,1,(6,0))"), {})},
      {"layout_versus", layout_comparison(parse_layout("(4,8):(8,1)"),
                                          parse_layout("Sw<2,0,3> o 0 o (4,8):(8,1)"), banks)},
  };
  for (const auto& [name, scene] : scenes) {
    const std::string difference = golden_difference(name + ".scene", dump(scene));
    CHECK_MESSAGE(difference.empty(), difference);
  }
}
