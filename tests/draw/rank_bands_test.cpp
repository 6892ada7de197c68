// Pictures of GPUs that share a product: one band and one link each, in the colours of owners.
#include "draw/rank_bands.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "draw/schedule_diagram.hpp"
#include "model/price.hpp"
#include "model/timeline.hpp"
#include "store/device_preset.hpp"
#include "support/error_message.hpp"
#include "support/golden.hpp"
#include "support/plans.hpp"
#include "support/scenes.hpp"
#include "tile/plan/schedule_report.hpp"

using namespace tilewright;
using namespace tilewright::testing;

namespace {

struct Shared {
  Collective collective = Collective::ReduceScatter;
  int gpus = 2;
  GemmShape whole = {1024, 512, 2048};
  int64_t ctas = 4;
  const char* cta = "128x128x64";
  const char* device = "h200x2";
};

// The schedule of GPU 0, and the plans of all.
std::pair<PredictedSchedule, std::vector<Plan>> planned(const Shared& s) {
  Workload kind;
  kind.parallel = {s.collective, s.gpus};
  const Workload workload = with_shapes(kind, {s.whole});
  TileConfig config = config_with(s.cta, "1x1", "row");
  const std::vector<Plan> plans =
      plans_of_ranks(workload, config, load_device_preset(s.device), {.ctas = s.ctas});
  PredictedSchedule p{.name = "", .plan = plans.front(), .report = {}, .spans = {}};
  p.report = report_schedule(p.plan);
  p.report.device = s.device;
  return {p, plans};
}

PredictedSchedule predicted(const Shared& s) {
  auto [p, plans] = planned(s);
  const DeviceSpec device = load_device_preset(s.device);
  for (const Plan& plan : plans) {
    const Price price = price_of(plan, device);
    p.ranks.push_back({.spans = {}, .links = price.links});
    predict_timeline(plan, price, &p.ranks.back().spans);
  }
  p.spans = p.ranks.front().spans;
  p.counts_k_steps = !predicts_time(device);
  if (!p.counts_k_steps) p.report.predicted_us = last_end_us(p.spans);
  return p;
}

// The same with fixed times, so that no golden file depends on the cost model: a tile takes 10 us,
// and 2 us of epilogue, in which a tile of other rows crosses the link.
PredictedSchedule paced(const Shared& s) {
  auto [p, plans] = planned(s);
  const std::vector<int> owners = owners_of_rows(p.plan);
  for (int rank = 0; rank < s.gpus; ++rank) {
    RankTimeline& timeline = p.ranks.emplace_back();
    std::vector<double> us(static_cast<size_t>(s.ctas));
    for_each_unit(plans[static_cast<size_t>(rank)], [&](const ScheduledUnit& unit) {
      double& now = us[static_cast<size_t>(unit.cta)];
      const auto index = static_cast<int64_t>(now / 12);
      const int owner = owners[static_cast<size_t>(unit.work.m)];
      timeline.spans.push_back(
          {SpanKind::MainLoop, unit.cta, unit.cta, index, now, now + 10, unit.work});
      timeline.spans.push_back(
          {SpanKind::Epilogue, unit.cta, unit.cta, index, now + 10, now + 12, unit.work});
      if (owner != rank && unit.cta == 0) {
        timeline.links.push_back({rank, owner, now + 10, now + 12, 262144});
      }
      now += 12;
    });
  }
  p.spans = p.ranks.front().spans;
  p.report.predicted_us = last_end_us(p.spans);
  return p;
}

const Shared kShared[] = {
    {},
    {.collective = Collective::AllGather},
    {.gpus = 4, .whole = {4096, 4096, 4096}, .ctas = 132, .device = "h200x4"},
    {.collective = Collective::AllGather,
     .gpus = 4,
     .whole = {4096, 4096, 4096},
     .ctas = 132,
     .device = "h200x4"},
    {.gpus = 16, .whole = {2048, 1024, 2048}, .ctas = 8, .device = "h200x16"},
    {.device = "a100"},
};

}  // namespace

TEST_CASE("at every width all lies within the picture, and labels do not overlap") {
  for (const Shared& s : kShared) {
    const PredictedSchedule p = predicted(s);
    for (const double width : {0.0, 1000.0, 420.0, 300.0}) {
      CAPTURE(s.device);
      CAPTURE(width);
      const Scene scene = schedule_diagram({p}, {}, {.width = width});
      CHECK(outside_items(scene) == "");
      CHECK(overlapping_labels(scene, {"title", "subtitle", "caption", "axis", "legend", "text"}) ==
            "");
    }
  }
}

TEST_CASE("each GPU has a band and a link, with one time axis below the last") {
  for (const Shared& s : kShared) {
    CAPTURE(s.device);
    const PredictedSchedule p = predicted(s);
    const bool has_time = !p.ranks.front().links.empty();
    const Scene scene = schedule_diagram({p}, {});
    const std::vector<RectangleItem> charts = rectangles(scene.items, "idle");
    REQUIRE(static_cast<int>(charts.size()) == (has_time ? 2 : 1) * s.gpus);
    for (const RectangleItem& chart : charts) {
      CHECK(chart.at.x == charts.front().at.x);
      CHECK(chart.width == charts.front().width);
    }
    const std::vector<std::string> captions = texts_of(scene.items, "caption");
    REQUIRE(static_cast<int>(captions.size()) == s.gpus);
    CHECK(captions.back() == "GPU " + std::to_string(s.gpus - 1));
    const std::vector<std::string> axis = texts_of(scene.items, "axis");
    CHECK(std::count(axis.begin(), axis.end(), has_time ? "us" : "k-steps") == 1);
  }
}

TEST_CASE("tiles and links have the colour of the owner, and sent tiles another epilogue") {
  const PredictedSchedule p = paced({});
  const std::vector<int> owners = owners_of_rows(p.plan);
  CHECK(owners == std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1});
  const Scene scene = schedule_diagram({p}, {});
  // By chunk a reduce-scatter's first tiles are the other GPU's, and the last ones are its own.
  const std::vector<RectangleItem> loops = rectangles(scene.items, "span.main-loop");
  REQUIRE(loops.size() >= 4);
  CHECK(loops.front().style.fill == palette::hue(1));
  CHECK(loops.back().style.fill == palette::hue(1));
  CHECK(rectangles(scene.items, "span.fix-up").size() ==
        rectangles(scene.items, "span.epilogue").size());
  CHECK(rectangles(scene.items, "link.1").front().style.fill == palette::hue(1));
  const std::vector<std::string> tips = tooltip_texts(scene.items);
  CHECK(std::find(tips.begin(), tips.end(), "GPU 0 to GPU 1: 262.14 kB, 10 to 12 us, 131 GB/s") !=
        tips.end());
  CHECK(std::find(tips.begin(), tips.end(),
                  "CTA 0: main-loop of 4,0, rows of GPU 1, unit 0, k-steps 0 to 16, 0 to 10 us") !=
        tips.end());
  Shared gather{.collective = Collective::AllGather};
  CHECK(rectangles(schedule_diagram({paced(gather)}, {}).items, "span.fix-up").empty());
}

TEST_CASE("short links are joined, and keep their bytes") {
  PredictedSchedule p = paced({});
  for (RankTimeline& rank : p.ranks) {
    const LinkSpan first = rank.links.front();
    rank.links.clear();
    for (int i = 0; i < 1000; ++i) {
      const double begin_us = first.begin_us + i * 0.01;
      rank.links.push_back({first.from, first.to, begin_us, begin_us + 0.01, 1000});
    }
  }
  const Scene scene = schedule_diagram({p}, {});
  CHECK(rectangles(scene.items, "link.").size() < 200);
  const std::vector<std::string> axis = texts_of(scene.items, "axis");
  CHECK(std::count(axis.begin(), axis.end(),
                   "sends 1.00 MB over a link that is busy for 10.0 us") == 2);
}

TEST_CASE("GPUs have no other view and no other colours, and limits of lanes for each") {
  const PredictedSchedule p = paced({});
  const auto refused = [&](const ScheduleLook& look) {
    return error_message_of([&] { schedule_diagram({p}, look); });
  };
  ScheduleLook look;
  look.view = ScheduleView::Gantt;
  CHECK(refused(look).empty());
  look.view = ScheduleView::Grid;
  CHECK(contains(refused(look), "drawn by their timelines"));
  look = {};
  look.color = UnitColor::Cta;
  CHECK(contains(refused(look), "omit --color"));
  CHECK_NOTHROW(require_drawable_ranks(kMaxLanes, p.ranks));
  CHECK_THROWS(require_drawable_ranks(kMaxLanes + 1, p.ranks));
}

TEST_CASE("pictures of GPUs equal the reviewed golden files") {
  const std::pair<const char*, Shared> pictures[] = {
      {"ranks_reduce_scatter", {}},
      {"ranks_all_gather",
       {.collective = Collective::AllGather,
        .gpus = 4,
        .whole = {1024, 1024, 512},
        .device = "h200x4"}},
  };
  for (const auto& [name, shared] : pictures) {
    const std::string difference = golden_difference(std::string(name) + ".scene",
                                                     dump(schedule_diagram({paced(shared)}, {})));
    CHECK_MESSAGE(difference.empty(), difference);
  }
}
