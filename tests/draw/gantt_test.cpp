#include "draw/gantt.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.hpp"
#include "draw/palette.hpp"
#include "support/scenes.hpp"

using namespace tilewright;
using namespace tilewright::testing;

namespace {

// Each lane has `units` units with main loop and epilogue; odd lanes start 0.3 units later.
Gantt chart(int64_t lanes, int units, double unit_us, double end_us) {
  Gantt g;
  g.lanes = lanes;
  g.end_us = end_us;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    double us = lane % 2 == 0 ? 0 : 0.3 * unit_us;
    for (int i = 0; i < units; ++i) {
      g.spans.push_back({SpanKind::MainLoop, lane, lane, i, us, us + 0.9 * unit_us, {0, i, 0}});
      g.spans.push_back(
          {SpanKind::Epilogue, lane, lane, i, us + 0.9 * unit_us, us + unit_us, {0, i, 0}});
      us += unit_us;
    }
  }
  return g;
}

// The bars of each lane; a bar that several lanes share is listed in each of them.
struct LaneBars {
  std::map<int, std::vector<RectangleItem>> lanes;
  double lane_height = 0;
};

LaneBars bars_by_lane(const PageBlock& block, int64_t lanes) {
  const RectangleItem idle = rectangles(block.items, "idle").front();
  LaneBars bars;
  bars.lane_height = idle.height / static_cast<double>(lanes);
  for (const RectangleItem& bar : rectangles(block.items, "span.")) {
    const auto first = static_cast<int>(std::lround((bar.at.y - idle.at.y) / bars.lane_height));
    const auto count = static_cast<int>(std::lround(bar.height / bars.lane_height));
    for (int lane = first; lane < first + count; ++lane) bars.lanes[lane].push_back(bar);
  }
  return bars;
}

}  // namespace

TEST_CASE("bars never overlap in a lane, and are as long as the work of the lane") {
  struct Case {
    int64_t lanes;
    int units;
  };
  for (const Case& c : {Case{1, 1}, {1, 4}, {7, 3}, {24, 30}, {132, 16}, {132, 2000}, {400, 5}}) {
    CAPTURE(c.lanes);
    CAPTURE(c.units);
    const double end_us = 10.0 * (c.units + 1);
    const Gantt g = chart(c.lanes, c.units, 10, end_us);
    const PageBlock block = draw_gantt(g);
    const double scale = g.width / end_us;
    LaneBars bars = bars_by_lane(block, c.lanes);
    REQUIRE(bars.lanes.size() == static_cast<size_t>(c.lanes));
    for (auto& [lane, items] : bars.lanes) {
      std::sort(items.begin(), items.end(),
                [](const RectangleItem& a, const RectangleItem& b) { return a.at.x < b.at.x; });
      double busy = 0;
      for (size_t i = 0; i < items.size(); ++i) {
        busy += items[i].width;
        if (i > 0) REQUIRE(items[i].at.x >= items[i - 1].at.x + items[i - 1].width - 1e-6);
      }
      REQUIRE(busy == doctest::Approx(10.0 * c.units * scale));
    }
  }
}

TEST_CASE("adjacent narrow bars become one, wide bars stay separate") {
  const auto joined = [](int units) {
    return rectangles(draw_gantt(chart(3, units, 10, 10.0 * units + 3)).items, "span.joined")
        .size();
  };
  CHECK(joined(20) == 0);
  CHECK(joined(3000) > 0);
  const std::vector<Gantt> few = {chart(3, 20, 10, 210)};
  const std::vector<Gantt> many = {chart(3, 3000, 10, 30010)};
  CHECK(gantt_legend(many).size() == gantt_legend(few).size() + 1);
}

TEST_CASE("lanes that do the same at the same time share their bars") {
  Gantt same = chart(1, 4, 10, 50);
  same.lanes = 100;
  const std::vector<WorkSpan> one = same.spans;
  for (int64_t lane = 1; lane < 100; ++lane) {
    for (WorkSpan span : one) {
      span.lane = lane;
      span.cta = lane;
      same.spans.push_back(span);
    }
  }
  CHECK(rectangles(draw_gantt(same).items, "span.").size() == one.size());
  same.colors.by = UnitColor::Cta;  // neighbours differ in colour
  CHECK(rectangles(draw_gantt(same).items, "span.main-loop").size() == 400);
}

TEST_CASE(
    "the tail begins when the first multiprocessor ends its work; a second kernel does not count") {
  Gantt g = chart(2, 2, 10, 60);  // ends at 20 and at 23
  CHECK(tail_of(g.spans, {}).begin_us == doctest::Approx(20));
  CHECK(tail_of(g.spans, {}).end_us == doctest::Approx(23));
  g.spans.push_back({SpanKind::Reduction, 0, 0, 0, 30, 50, {}});
  g.spans.push_back({SpanKind::Launch, 2, 2, 0, 0, 2, {}});  // a lane without work
  CHECK(tail_of(g.spans, {}).begin_us == doctest::Approx(20));
  CHECK(tail_of(g.spans, {}).end_us == doctest::Approx(23));
  CHECK(last_end_us(g.spans) == 50);
  // A multiprocessor with two lanes ends when its last lane ends.
  CHECK(tail_of(g.spans, std::vector<int64_t>{7, 7, 8}).begin_us == doctest::Approx(23));
  CHECK(tail_of({}, {}).end_us == 0);
  g.lanes = 3;
  g.mark_tail = true;
  CHECK(texts_of(draw_gantt(g).items, "tail") == std::vector<std::string>{"tail 3.0 us"});
}

TEST_CASE("units show their tile where there is room, in groups also their problem") {
  Gantt g = chart(2, 1, 10, 12);
  CHECK(texts_of(draw_gantt(g).items, "text") == std::vector<std::string>{"0,0", "0,0"});
  g.grouped = true;
  CHECK(texts_of(draw_gantt(g).items, "text") == std::vector<std::string>{"0: 0,0", "0: 0,0"});
  CHECK(texts_of(draw_gantt(chart(132, 1, 10, 12)).items, "text").empty());
}

TEST_CASE("labels of the time axis are round, few, and end in the unit") {
  for (const double end_us : {0.7, 12.5, 73451.1}) {
    Gantt g = chart(4, 1, end_us / 2, end_us);
    g.caption = "a chart";
    Scene scene{.width = 1200, .height = 1200};
    PageBlock block = draw_gantt(g);
    for (SceneItem& item : block.items) scene.items.push_back(moved(std::move(item), {20, 20}));
    CAPTURE(end_us);
    CHECK(outside_items(scene) == "");
    CHECK(overlapping_labels(scene, {"axis", "caption", "tail"}) == "");
    const std::vector<std::string> texts = texts_of(scene.items, "axis");
    CHECK(std::count(texts.begin(), texts.end(), "us") == 1);
    CHECK(std::count(texts.begin(), texts.end(), "-0") == 0);
    CHECK(texts.size() < 24);
  }
}

TEST_CASE("charts have limits") {
  CHECK_NOTHROW(require_drawable_spans(kMaxLanes, kMaxSpans));
  CHECK_THROWS_AS(require_drawable_spans(kMaxLanes + 1, 1), Error);
  CHECK_THROWS_AS(require_drawable_spans(1, kMaxSpans + 1), Error);
}

TEST_CASE("colours follow the unit index or the CTA") {
  CHECK(UnitColors{}.fill(5, 2, 0) == palette::hue(2));
  CHECK(UnitColors{.by = UnitColor::Cta}.fill(5, 2, 0) == palette::hue(5));
  CHECK(UnitColors{.of_wave = {0, 1, 7}}.fill(5, 2, 0) == palette::hue(7));
  const UnitColors by_product{.by = UnitColor::Product, .of_product = {-1, 3}};
  CHECK(by_product.fill(5, 2, 1) == palette::hue(3));
}

TEST_CASE("a problem's number stands once across the thin lanes that compute it together") {
  Gantt g;
  g.lanes = 200;
  g.end_us = 30;
  g.grouped = true;
  for (int64_t lane = 0; lane < g.lanes; ++lane) {
    const WorkTile first{.problem = lane < 100 ? 4 : 7};
    const WorkTile second{.problem = lane < 60 ? 9 : 4};
    // The second ones of neighbouring lanes overlap in part.
    const double shift = 0.01 * static_cast<double>(lane % 50);
    g.spans.push_back({SpanKind::MainLoop, lane, lane, 0, 0, 10, first});
    g.spans.push_back({SpanKind::MainLoop, lane, lane, 1, 10 + shift, 20 + shift, second});
  }
  std::vector<std::string> numbers = texts_of(draw_gantt(g).items, "text");
  std::sort(numbers.begin(), numbers.end());
  CHECK(numbers == std::vector<std::string>{"4", "4", "7", "9"});
  g.grouped = false;
  CHECK(texts_of(draw_gantt(g).items, "text").empty());
}
