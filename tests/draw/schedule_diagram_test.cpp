#include "draw/schedule_diagram.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "draw/picture.hpp"
#include "model/timeline.hpp"
#include "support/devices.hpp"
#include "support/golden.hpp"
#include "support/plans.hpp"
#include "support/scenes.hpp"

using namespace tilewright;
using namespace tilewright::testing;

namespace {

PredictedSchedule predicted(PlanWords words, const std::string& name = "") {
  if (words.resident == 0) words.resident = 132;
  PredictedSchedule p;
  p.name = name;
  p.plan = plan_of(words);
  p.report = report_schedule(p.plan);
  p.report.device = "h200";
  const Timeline timeline = predict_timeline(p.plan, h200(), &p.spans);
  if (timeline.completed) p.report.predicted_us = timeline.us;
  p.waiting_us = timeline.waiting_us;
  return p;
}

// The same with fixed times, so that no golden file depends on the cost model: 0.1 us a k-step,
// 0.2 us an epilogue, 0.1 us of fix-up for each part of a divided tile, and before it, except for
// the first part, 0.3 us of waiting.
PredictedSchedule paced(const PlanWords& words, const std::string& name = "") {
  PredictedSchedule p = predicted(words, name);
  p.spans.clear();
  std::vector<double> free_us(static_cast<size_t>(p.report.ctas), 1.0);
  std::vector<int64_t> unit_counts(free_us.size());
  for (int64_t cta = 0; cta < p.report.ctas; ++cta) {
    p.spans.push_back({SpanKind::Launch, cta, cta, 0, 0, 1, {}});
  }
  for_each_unit(p.plan, [&](const ScheduledUnit& unit) {
    const WorkTile& w = unit.work;
    double& us = free_us[static_cast<size_t>(unit.cta)];
    const int64_t unit_index = unit_counts[static_cast<size_t>(unit.cta)]++;
    const auto add = [&](SpanKind kind, double length) {
      p.spans.push_back({kind, unit.cta, unit.cta, unit_index, us, us + length, w});
      us += length;
    };
    if (unit.kind == UnitKind::EarlyExit) return;
    add(SpanKind::MainLoop, 0.1 * (w.k_end - w.k_begin));
    const int k_steps = p.plan.problem(w.problem).work.k_steps;
    if (w.k_end - w.k_begin < k_steps) {
      if (w.k_begin > 0) add(SpanKind::Waiting, 0.3);
      add(SpanKind::FixUp, 0.1);
    }
    if (w.k_end == k_steps) add(SpanKind::Epilogue, 0.2);
  });
  p.report.predicted_us = *std::max_element(free_us.begin(), free_us.end());
  p.waiting_us = 0.5;
  return p;
}

const PlanWords kWords[] = {
    {.problem = "100x100x64"},
    {.problem = "100x100x64", .ctas = 132},
    {.problem = "8192x8192x8192", .cta = "128x256x64", .ctas = 132, .raster = "swizzle-merge:8"},
    {.problem = "1152x768x128,1152x768x1024", .ctas = 108},
    {.problem = "256x256x65536", .ctas = 132, .decomposition = "split-k:32"},
    {.problem = "512x512x8192", .ctas = 132, .decomposition = "split-k:8:workspace"},
    {.problem = "3000x3000x3000", .cta = "128x256x64", .ctas = 132, .decomposition = "stream-k"},
    {.problem = "128x65536x512", .ctas = 132},
    {.problem = "1152x1152x512", .ctas = 64, .raster = "cutlass3:8"},
    {.problem = "512x512x512", .ctas = 300},
};

}  // namespace

TEST_CASE("everything lies within the picture, and labels do not overlap") {
  for (const PlanWords& words : kWords) {
    CAPTURE(words.problem);
    CAPTURE(words.decomposition);
    const Scene alone = schedule_diagram({predicted(words)}, {});
    CHECK(outside_items(alone) == "");
    const Scene pair = schedule_diagram(
        {predicted(words, "first"), predicted({.problem = words.problem}, "second")}, {});
    CHECK(outside_items(pair) == "");
    for (const Scene& scene : {alone, pair}) {
      CHECK(overlapping_labels(scene, {"title", "subtitle", "caption", "axis", "legend", "tail"}) ==
            "");
    }
  }
}

TEST_CASE("a given view is drawn alone; by default grids or K bars, and the timeline") {
  const std::vector<PredictedSchedule> whole = {predicted({.problem = "512x512x512"})};
  const std::vector<PredictedSchedule> divided = {
      predicted({.problem = "512x512x512", .decomposition = "split-k:2"})};
  const auto parts = [](const std::vector<PredictedSchedule>& schedules,
                        std::optional<ScheduleView> view) {
    ScheduleLook look;
    look.view = view;
    const Scene scene = schedule_diagram(schedules, look);
    return std::vector<bool>{
        !rectangles(scene.items, "cell.").empty(),
        !rectangles(scene.items, "part").empty() && rectangles(scene.items, "cell.").empty(),
        !rectangles(scene.items, "span.").empty()};
  };
  CHECK(parts(whole, std::nullopt) == std::vector<bool>{true, false, true});
  CHECK(parts(divided, std::nullopt) == std::vector<bool>{false, true, true});
  CHECK(parts(divided, ScheduleView::Grid) == std::vector<bool>{true, false, false});
  CHECK(parts(divided, ScheduleView::KBars) == std::vector<bool>{false, true, false});
  CHECK(parts(whole, ScheduleView::Gantt) == std::vector<bool>{false, false, true});
  CHECK_THROWS_AS(parse_schedule_view("gant"), Error);
}

TEST_CASE("the legend explains numbers in tiles where there are any") {
  const auto explained = [](const PlanWords& words, ScheduleView view) {
    ScheduleLook look;
    look.view = view;
    const std::vector<std::string> legend =
        texts_of(schedule_diagram({predicted(words)}, look).items, "legend");
    return std::count(legend.begin(), legend.end(), "number of the CTA") == 1;
  };
  const PlanWords few{.problem = "1024x1024x512", .ctas = 16};
  CHECK(explained(few, ScheduleView::Grid));
  CHECK(explained(few, ScheduleView::KBars));
  CHECK_FALSE(explained(few, ScheduleView::Gantt));
  CHECK_FALSE(explained({.problem = "32768x32768x64", .ctas = 132}, ScheduleView::Grid));
}

TEST_CASE("a view too large for a picture is left out with a note, or refused if requested") {
  const std::vector<PredictedSchedule> strip = {
      predicted({.problem = "65664x128x64", .ctas = 132})};
  const std::vector<std::string> lines = texts_of(schedule_diagram(strip, {}).items, "subtitle");
  CHECK(lines.back().find("not drawn: a picture holds") == 0);
  ScheduleLook grid;
  grid.view = ScheduleView::Grid;
  CHECK_THROWS_AS(schedule_diagram(strip, grid), Error);
}

TEST_CASE("two schedules share the time axis and are drawn side by side") {
  const Scene scene = schedule_diagram(
      {predicted({.problem = "1152x768x128,1152x768x1024", .ctas = 54}, "order given"),
       predicted({.problem = "1152x768x128,1152x768x1024", .ctas = 54, .order = "k-descending"},
                 "order k-descending")},
      {});
  const std::vector<RectangleItem> charts = rectangles(scene.items, "idle");
  REQUIRE(charts.size() == 2);
  CHECK(charts[0].at.y == charts[1].at.y);
  CHECK(charts[0].width == charts[1].width);
  const std::vector<std::string> captions = texts_of(scene.items, "caption");
  CHECK(captions[0] == "order given");
  CHECK(captions[1] == "order k-descending");
}

TEST_CASE("two schedules show the same views; both rasters are drawn even if one divides tiles") {
  const auto cells = [](const Scene& scene) { return texts_of(scene.items, "text"); };
  const PredictedSchedule rows = predicted({.problem = "1024x1024x512", .ctas = 16}, "row");
  const auto beside = [&](const char* raster) {
    return schedule_diagram({rows, predicted({.problem = "1024x1024x512",
                                              .ctas = 24,
                                              .raster = raster,
                                              .decomposition = "stream-k"},
                                             raster)},
                            {});
  };
  const Scene hilbert = beside("hilbert");
  CHECK(rectangles(hilbert.items, "idle").size() == 2);  // charts
  ScheduleLook grid;
  grid.view = ScheduleView::Grid;
  for (const char* const raster : {"row", "hilbert"}) {
    const PredictedSchedule second = predicted(
        {.problem = "1024x1024x512", .ctas = 24, .raster = raster, .decomposition = "stream-k"});
    const std::vector<std::string> wanted = cells(schedule_diagram({second}, grid));
    REQUIRE(wanted.size() == 64);
    const std::vector<std::string> drawn = cells(beside(raster));
    CHECK(std::search(drawn.begin(), drawn.end(), wanted.begin(), wanted.end()) != drawn.end());
  }
  const std::vector<std::string> captions = texts_of(hilbert.items, "caption");
  CHECK(std::count(captions.begin(), captions.end(), "no tile is divided along K") == 1);
}

TEST_CASE("the picture names a deadlock and dropped tiles") {
  const auto says = [](const PredictedSchedule& p, const char* words) {
    const std::vector<std::string> lines = texts_of(schedule_diagram({p}, {}).items, "subtitle");
    return std::any_of(lines.begin(), lines.end(),
                       [&](const std::string& line) { return line.find(words) == 0; });
  };
  PredictedSchedule stuck = predicted({.problem = "128x128x4096", .decomposition = "split-k:4"});
  CHECK_FALSE(says(stuck, "DEADLOCK"));
  stuck.report.ends = false;
  CHECK(says(stuck, "DEADLOCK"));
  CHECK_FALSE(says(stuck, "none of our kernels runs this tile"));
  stuck.report.not_runnable = "too large";
  CHECK(says(stuck, "none of our kernels runs this tile: too large"));
  const PlanWords words{.problem = "256x256x64,384x384x64",
                        .ctas = 4,
                        .raster = "cutlass3:4",
                        .emulation = Emulation::Cutlass3Grouped};
  PredictedSchedule dropping = predicted({.problem = "256x256x64,384x384x64", .ctas = 4});
  CHECK_FALSE(says(dropping, "NOT COMPLETE"));
  dropping.plan = testing::plan_of(words);
  dropping.report = report_schedule(dropping.plan);
  CHECK(says(dropping, "NOT COMPLETE: 2 tiles missing"));
}

TEST_CASE("schedule pictures equal the reviewed golden files") {
  const char* const four = "256x256x512,256x256x512,256x256x512,256x256x512";
  const PlanWords plain{.problem = four, .op = "syr2k", .plain = true};
  const PlanWords triangular{.problem = four, .op = "syr2k"};
  const std::map<std::string, std::vector<PredictedSchedule>> pictures = {
      {"schedule_syr2k", {paced(plain, "plain=yes"), paced(triangular, "plain=no")}},
      {"schedule_group", {paced({.problem = "640x256x128,384x512x1024", .ctas = 11})}},
      {"schedule_split_k",
       {paced({.problem = "256x256x2048", .ctas = 16, .decomposition = "split-k:4"})}},
      {"schedule_stream_k",
       {paced({.problem = "384x384x1024", .ctas = 6, .decomposition = "stream-k:workspace"})}},
  };
  for (const auto& [name, schedules] : pictures) {
    const std::string difference =
        golden_difference(name + ".scene", dump(schedule_diagram(schedules, {})));
    CHECK_MESSAGE(difference.empty(), difference);
  }
}

TEST_CASE("compared schedules are 24 pixels apart, with a line between") {
  const Scene scene = schedule_diagram({predicted({.problem = "512x512x64", .ctas = 4}, "one"),
                                        predicted({.problem = "512x512x64", .ctas = 2}, "two")},
                                       {});
  double rule = 0;
  for (const SceneItem& item : scene.items) {
    const auto* path = std::get_if<PathItem>(&item);
    if (path != nullptr && path->role == "gutter") rule = path->points[0].x;
  }
  REQUIRE(rule > 0);
  for (const SceneItem& item : scene.items) {
    const bool page = std::visit(
        [](const auto& it) {
          return it.role == "title" || it.role == "legend" || it.role == "gutter";
        },
        item);
    if (page) continue;
    const Box box = box_of(item);
    CHECK((box.right <= rule - 12 || box.left >= rule + 12));
  }
}

TEST_CASE("a schedule of 64x64 tiles with its timeline fits into 1 MB with every tooltip") {
  const PredictedSchedule s = paced({.problem = "8192x8192x512", .ctas = 132});
  const Scene scene = schedule_diagram({s}, {});
  CHECK(render(scene, ImageFormat::Svg).size() < 1'000'000);
  int64_t tiles = 0;
  int64_t units = 0;
  for (const std::string& text : tooltip_texts(scene.items)) {
    tiles += static_cast<int64_t>(starts_with(text, "tile "));
    units += static_cast<int64_t>(starts_with(text, "CTA ") &&
                                  text.find(": tile ") != std::string::npos);
  }
  CHECK(tiles == 64 * 64);
  CHECK(units == 64 * 64);
}

TEST_CASE("at 400 pixels the numbers of CTAs and lanes stay legible and separate") {
  const PlanWords words{.problem = "1024x1024x1024", .ctas = 132};
  std::vector<std::vector<PredictedSchedule>> all(2);
  all[0].push_back(paced(words));
  all[1].push_back(paced(words, "before"));
  all[1].push_back(paced(words, "after"));
  for (const std::vector<PredictedSchedule>& schedules : all) {
    const Scene scene = schedule_diagram(schedules, {}, {.width = 400});
    CHECK(scene.width <= 400);
    CHECK(outside_items(scene) == "");
    CHECK(overlapping_labels(scene, {"title", "subtitle", "caption", "axis", "text"}) == "");
    size_t numbers = 0;
    for (const SceneItem& item : scene.items) {
      const auto* const label = std::get_if<LabelItem>(&item);
      if (label == nullptr || label->role != "text") continue;
      ++numbers;
      CHECK(label->size >= 9);
    }
    CHECK(numbers >= 16 * schedules.size());
  }
}
