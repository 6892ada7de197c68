#include "draw/k_bars.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>

#include "base/error.hpp"
#include "support/plans.hpp"
#include "support/scenes.hpp"
#include "tile/plan/external_schedule.hpp"
#include "tile/plan/schedule_report.hpp"

using namespace tilewright;
using namespace tilewright::testing;

namespace {

struct Drawn {
  PageBlock block;
  ScheduleReport report;
};

Drawn draw(const PlanWords& words) {
  const Plan s = plan_of(words);
  return {k_bars(s, dealt_units(s), 1000), report_schedule(s)};
}

}  // namespace

TEST_CASE("every part of a tile is drawn once, and an arrow points to every part that waits") {
  for (const char* const decomposition :
       {"split-k:4", "split-k:3:serial-tma", "split-k:8:workspace", "split-k:4:atomic", "stream-k",
        "stream-k:one-tile", "stream-k:all:serial-tma", "split-k:2:cluster",
        "split-k:4:reduce-scatter", "split-k:3:in-place", "stream-k:workspace"}) {
    for (const int64_t ctas : {8, 24, 132}) {
      CAPTURE(decomposition);
      CAPTURE(ctas);
      const Drawn d =
          draw({.problem = "512x1024x4096", .ctas = ctas, .decomposition = decomposition});
      REQUIRE(static_cast<int64_t>(rectangles(d.block.items, "part").size()) ==
              d.report.fix_up.parts);
      CHECK(static_cast<int64_t>(rectangles(d.block.items, "whole").size()) ==
            32 - d.report.fix_up.divided_tiles);
      CHECK(path_count(d.block.items, "wait") == d.report.turnstiles.waits);
      const bool sums = d.report.turnstiles.waits == 0;
      CHECK(path_count(d.block.items, "sum") == (sums ? d.report.fix_up.divided_tiles : 0));
      CHECK(path_count(d.block.items, "sum.part") == (sums ? d.report.fix_up.parts : 0));
    }
  }
}

TEST_CASE("the parts of a tile cover its bar, and bars are as long as K") {
  const Drawn d =
      draw({.problem = "256x128x512,128x128x1024", .ctas = 8, .decomposition = "split-k:3"});
  double width = 0;
  for (const RectangleItem& part : rectangles(d.block.items, "part")) width += part.width;
  const double longest = width / (0.5 + 0.5 + 1);
  double last = 0;
  for (const RectangleItem& part : rectangles(d.block.items, "part")) {
    last = std::max(last, part.at.x + part.width);
  }
  const double first = rectangles(d.block.items, "part").front().at.x;
  CHECK(last - first == doctest::Approx(longest));
  // One CTA label a part: three parts at K = 1024, two in each of two tiles at K = 512.
  CHECK(texts_of(d.block.items, "text").size() == 7);
}

TEST_CASE("many whole tiles are left out, too many divided tiles are refused") {
  const Drawn d = draw(
      {.problem = "3000x3000x3000", .cta = "128x256x64", .ctas = 132, .decomposition = "stream-k"});
  CHECK(rectangles(d.block.items, "whole").empty());
  CHECK(texts_of(d.block.items, "caption") ==
        std::vector<std::string>{
            format("{} whole tiles are not drawn", 288 - d.report.fix_up.divided_tiles)});
  CHECK_THROWS_AS(draw({.problem = "8192x8192x1024", .ctas = 132, .decomposition = "split-k:2"}),
                  Error);
}

TEST_CASE("without divided tiles up to 128 whole ones are drawn, so no picture is empty") {
  for (const char* const problem : {"4096x4096x4096", "8192x8192x8192", "16384x8192x64"}) {
    CAPTURE(problem);
    const Drawn d = draw({.problem = problem, .cta = "128x256x64", .ctas = 132});
    CHECK(rectangles(d.block.items, "whole").size() == 128);
    CHECK(texts_of(d.block.items, "caption") ==
          std::vector<std::string>{
              format("no tile is divided: 128 of {} whole tiles", d.report.units)});
  }
  const Drawn few = draw({.problem = "1024x1024x512"});
  CHECK(rectangles(few.block.items, "whole").size() == 64);
  CHECK(texts_of(few.block.items, "caption").empty());
}

TEST_CASE("bars lie inside of their block and names do not overlap, few and many") {
  for (const char* const problem :
       {"128x128x65536", "512x512x8192", "2048x1024x4096", "4096x4096x1024", "5632x5632x512"}) {
    Drawn d = draw({.problem = problem, .ctas = 132, .decomposition = "split-k:4"});
    Scene scene{.width = d.block.width + 40, .height = d.block.height + 40};
    for (SceneItem& item : d.block.items) scene.items.push_back(moved(std::move(item), {20, 20}));
    CAPTURE(problem);
    CHECK(outside_items(scene) == "");
    CHECK(overlapping_labels(scene, {"axis"}) == "");
  }
}

TEST_CASE("legends explain the arrows and lines of each reduction") {
  const auto legend = [](const char* decomposition) {
    const Plan s = plan_of({.problem = "256x256x1024", .ctas = 8, .decomposition = decomposition});
    return k_bars_legend(s, dealt_units(s));
  };
  CHECK(legend("data-parallel").empty());
  struct Meaning {
    const char* reduction;
    bool waits;      // a part waits for the part before it
    bool workspace;  // the parts are summed outside of D
    bool tma;
  };
  // The data movement of the kernels' join_serial, join_serial_tma, join_in_place, join_atomic,
  // join_parts and join_cluster.
  for (const Meaning& m : {Meaning{"serial", true, true, false},
                           {"serial-tma", true, true, true},
                           {"in-place", true, false, true},
                           {"atomic", false, true, false},
                           {"atomic-tma", false, true, true},
                           {"workspace", false, false, false},
                           {"cluster", false, false, false},
                           {"reduce-scatter", false, false, false}}) {
    CAPTURE(m.reduction);
    const std::string text = legend(format("split-k:2:{}", m.reduction).c_str()).back().text;
    const auto has = [&](const char* words) { return text.find(words) != std::string::npos; };
    CHECK(starts_with(text, "in turn, ") == m.waits);
    CHECK(has("to the fp32 workspace") == m.workspace);
    CHECK(has("TMA") == m.tma);
    CHECK_FALSE(has("output"));
  }
  CHECK(legend("split-k:2:workspace").back().text.find("second kernel") != std::string::npos);
  CHECK(legend("split-k:2:atomic").back().text.find("arrives last") != std::string::npos);
  CHECK(legend("split-k:2:in-place").back().text.find("to D, in D's type") != std::string::npos);
}

TEST_CASE("ranges of K that work from a file omits are hatched and in the legend") {
  auto external = std::make_shared<ExternalSchedule>();
  external->name = "half.csv";
  // 2 x 2 tiles of 8 k-steps: one is whole, one lacks its middle, two are missing.
  external->of_cta = {{{0, 0, 0, 0, 8}}, {{0, 0, 1, 0, 3}}, {{0, 0, 1, 5, 8}}};
  const PlanWords words = {.problem = "256x256x512", .ctas = 3};
  const Plan s = make_plan(workload_of({parse_shape(words.problem)}), config_of(words), h200(),
                           {.external = external});
  const PageBlock block = k_bars(s, dealt_units(s), 1000);
  const std::vector<RectangleItem> gaps = rectangles(block.items, "gap");
  REQUIRE(gaps.size() == 3);
  const double whole = rectangles(block.items, "whole").front().width;
  CHECK(gaps[0].width == doctest::Approx(whole * 2 / 8));
  CHECK(gaps[1].width == doctest::Approx(whole));
  CHECK(gaps[2].width == doctest::Approx(whole));
  const auto named = [](const std::vector<LegendEntry>& legend) {
    return std::count_if(legend.begin(), legend.end(),
                         [](const LegendEntry& e) { return e.text == "never computed"; });
  };
  CHECK(named(k_bars_legend(s, dealt_units(s))) == 1);
  external->of_cta = {{{0, 0, 0, 0, 8}, {0, 0, 1, 0, 8}, {0, 1, 0, 0, 8}, {0, 1, 1, 0, 8}}};
  const Plan complete = make_plan(s.workload, s.config, h200(), {.external = external});
  CHECK(rectangles(k_bars(complete, dealt_units(complete), 1000).items, "gap").empty());
  CHECK(named(k_bars_legend(complete, dealt_units(complete))) == 0);
}
