#include "draw/ownership.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "draw/nested_diagram.hpp"
#include "draw/thread_value_diagram.hpp"
#include "layout/text/layout_expression.hpp"
#include "support/golden.hpp"
#include "support/scenes.hpp"

using namespace tilewright;

namespace {

using testing::count_items;

constexpr const char* kNested =
    "subgroup_tile = [2, 1], batch_tile = [2, 4], outer_tile = [1, 1], thread_tile = [16, 4], "
    "element_tile = [1, 4], subgroup_strides = [1, 0], thread_strides = [1, 16]";
constexpr const char* kSmallNested =
    "subgroup_tile = [2, 1], batch_tile = [1, 2], outer_tile = [1, 1], thread_tile = [2, 2], "
    "element_tile = [1, 2], subgroup_strides = [1, 0], thread_strides = [1, 2]";

Scene nested(const char* text, const Workgroup& workgroup, std::optional<int64_t> thread) {
  return nested_diagram(report_nested(parse_nested_layout(text), workgroup, thread));
}

}  // namespace

TEST_CASE("every value of the outlined thread is outlined") {
  const ComposedLayout c = parse_layout("((4,8),(2,2)):((32,1),(16,8))");
  for (int64_t thread = 0; thread < 32; ++thread) {
    OwnershipView view;
    view.thread = thread;
    CHECK(count_items(thread_value_diagram(c, {16, 8}, view), "mark") == 4);
    CHECK(count_items(nested(kNested, {}, thread), "mark") == 32);
  }
}

TEST_CASE("replicated and uncovered elements are marked") {
  OwnershipMap map{.rows = 1, .columns = 4, .holders = {}};
  map.holders = {{{0, 0}}, {{1, 0}, {0, 1}}, {{2, 0}, {2, 1}, {2, 2}}, {}};
  const OwnershipCounts counts = count_holders(map);
  CHECK(counts.once == 1);
  CHECK(counts.shared == 1);
  CHECK(counts.repeated == 1);
  CHECK(counts.uncovered == 1);
  CHECK(counts.most == 3);
  const CellPanel panel = ownership_panel(map, {});
  CHECK(panel.texts == std::vector<std::string>{"T0\nV0", "T0\nT1", "T2\nV0 V1 x3", ""});
  CHECK(panel.fills[3] == kHatchedFill);
  CHECK(panel.flagged == std::vector<int>{1, 2});
  REQUIRE(panel.splits.size() == 2);
  CHECK(panel.splits[0].fills.size() == 2);
  CHECK(panel.splits[1].fills.size() == 3);
}

TEST_CASE("the legend explains counts of holders only where cells have them") {
  const auto explains = [](std::vector<Holder> holders) {
    const OwnershipMap map{.rows = 1, .columns = 1, .holders = {std::move(holders)}};
    const std::vector<LegendEntry> legend = ownership_legend(count_holders(map), {});
    const bool text = ownership_panel(map, {}).texts[0].find(" x") != std::string::npos;
    const bool entry = std::any_of(legend.begin(), legend.end(), [](const LegendEntry& e) {
      return e.text.find("; x3") != std::string::npos;
    });
    CHECK(text == entry);
    return entry;
  };
  CHECK_FALSE(explains({{0, 0}}));
  CHECK_FALSE(explains({{0, 0}, {1, 0}}));
  CHECK(explains({{0, 0}, {1, 0}, {2, 0}}));
}

TEST_CASE("values outside of the tile are counted, not silently dropped") {
  const Scene scene = thread_value_diagram(parse_layout("(4,2):(1,4)"), {2, 3}, {});
  CHECK(dump(scene).find("2 values lie outside of the tile") != std::string::npos);
}

TEST_CASE("pictures of holders have limits and refuse a bad thread or tile") {
  const ComposedLayout c = parse_layout("(4,2):(1,4)");
  OwnershipView view;
  view.thread = 4;
  CHECK_THROWS_AS(thread_value_diagram(c, {4, 2}, view), Error);
  CHECK_THROWS_AS(thread_value_diagram(c, {513, 2}, {}), Error);
  CHECK_THROWS_AS(thread_value_diagram(parse_layout("8:1"), {4, 2}, {}), Error);
  CHECK_THROWS_AS(parse_thread_value_tile("4"), Error);
  CHECK_THROWS_AS(parse_thread_value_tile("0x4"), Error);
}

TEST_CASE("scenes of holders equal the reviewed golden files") {
  OwnershipView first;
  first.thread = 1;
  const std::map<std::string, Scene> scenes = {
      {"thread_value_8x4",
       thread_value_diagram(parse_layout("((2,4),2):((16,1),8)"), {8, 4}, first)},
      {"thread_value_replicas",
       thread_value_diagram(parse_layout("(4,(2,3)):(2,(1,4))"), {4, 5}, first)},
      {"nested_4x8", nested(kSmallNested, {}, 2)},
      {"nested_uncovered",
       nested(kSmallNested, {.subgroup_size = 4, .subgroups = 1}, std::nullopt)},
  };
  for (const auto& [name, scene] : scenes) {
    const std::string difference = golden_difference(name + ".scene", dump(scene));
    CHECK_MESSAGE(difference.empty(), difference);
  }
}
