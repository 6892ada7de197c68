#include "draw/trace_diagram.hpp"

#include <doctest/doctest.h>

#include "base/error.hpp"
#include "draw/gantt.hpp"
#include "support/golden.hpp"
#include "support/scenes.hpp"

using namespace tilewright;
using namespace tilewright::testing;

namespace {

// Two multiprocessors, three tiles; the second multiprocessor starts 0.5 us late and ends first.
TraceComparison comparison() {
  TraceComparison c{.title = "256x384x64 bf16 tn",
                    .config = "cta=128x128x64",
                    .device = "h200",
                    .measured = {},
                    .predicted = {}};
  c.measured = {{{SpanKind::Tile, 0, 0, 0, 0, 4, {0, 0, 0}},
                 {SpanKind::Tile, 0, 0, 1, 4, 9, {0, 0, 1}},
                 {SpanKind::Tile, 1, 1, 0, 0.5, 5, {0, 1, 0}}},
                2,
                {7, 31}};
  c.predicted = {{{SpanKind::MainLoop, 0, 0, 0, 0, 3, {0, 0, 0}},
                  {SpanKind::Epilogue, 0, 0, 0, 3, 4, {0, 0, 0}},
                  {SpanKind::MainLoop, 0, 0, 1, 4, 7, {0, 0, 1}},
                  {SpanKind::Epilogue, 0, 0, 1, 7, 8, {0, 0, 1}},
                  {SpanKind::MainLoop, 1, 1, 0, 0, 3, {0, 1, 0}},
                  {SpanKind::Epilogue, 1, 1, 0, 3, 4, {0, 1, 0}}},
                 2,
                 {7, 31}};
  return c;
}

}  // namespace

TEST_CASE("the numbers in the caption come from the records") {
  const TraceComparison c = comparison();
  CHECK(launch_skew_us(c.measured.spans) == doctest::Approx(0.5));
  CHECK(launch_skew_us(c.predicted.spans) == 0);
  CHECK(launch_skew_us({}) == 0);
  const Scene scene = trace_diagram(c);
  CHECK(texts_of(scene.items, "caption") ==
        std::vector<std::string>{"measured: 9.0 us", "predicted for h200: 8.0 us"});
  const std::vector<std::string> lines = texts_of(scene.items, "subtitle");
  CHECK(lines[1].find("measured over predicted: 1.125") == 0);
  CHECK(lines[2] == "launch skew 0.50 us, tail 4.0 us, median tile 4.50 us");
  CHECK(lines[3] == "launch skew 0.00 us, tail 4.0 us, median tile 4.00 us");
}

TEST_CASE("both charts have the same axis, and lanes are the multiprocessors that ran") {
  const Scene scene = trace_diagram(comparison());
  const std::vector<RectangleItem> charts = rectangles(scene.items, "idle");
  REQUIRE(charts.size() == 2);
  CHECK(charts[0].width == charts[1].width);
  CHECK(charts[0].at.y == charts[1].at.y);
  const std::vector<std::string> axis = texts_of(scene.items, "axis");
  CHECK(std::count(axis.begin(), axis.end(), "7") == 2);
  CHECK(std::count(axis.begin(), axis.end(), "31") == 2);
  CHECK(rectangles(scene.items, "span.tile").size() == 3);
  CHECK(outside_items(scene) == "");
  CHECK(overlapping_labels(scene, {"title", "subtitle", "caption", "axis", "legend", "tail"}) ==
        "");
}

TEST_CASE("a trace picture equals the reviewed golden file, and has limits") {
  const std::string difference =
      golden_difference("trace.scene", dump(trace_diagram(comparison())));
  CHECK_MESSAGE(difference.empty(), difference);
  TraceComparison wide = comparison();
  wide.measured.lanes = kMaxLanes + 1;
  CHECK_THROWS_AS(trace_diagram(wide), Error);
}
