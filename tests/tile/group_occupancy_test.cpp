#include "tile/plan/group_occupancy.hpp"

#include <doctest/doctest.h>

#include <random>
#include <set>

#include "base/text.hpp"
#include "support/plans.hpp"
#include "tile/plan/schedule_report.hpp"

using namespace tilewright;
using namespace tilewright::testing;

namespace {

// A group with empty and ragged problems.
std::string random_group(std::mt19937& random) {
  std::vector<std::string> shapes;
  const int problems = 2 + static_cast<int>(random() % 30);
  for (int i = 0; i < problems; ++i) {
    const auto rows = random() % 3 == 0 ? 0 : random() % 700;
    shapes.push_back(format("{}x{}x{}", rows, 8 * (1 + random() % 60), 8 * (1 + random() % 40)));
  }
  return join(shapes, ",");
}

// A span of one unit of time for each k-step of every work tile, one after the other.
std::vector<WorkSpan> k_step_spans(const std::vector<std::vector<WorkTile>>& ctas) {
  std::vector<WorkSpan> spans;
  for (size_t cta = 0; cta < ctas.size(); ++cta) {
    double end = 0;
    const auto number = static_cast<int64_t>(cta);
    spans.push_back({SpanKind::Launch, number, number, 0, -5, 0, {}});
    for (const WorkTile& work : ctas[cta]) {
      const double begin = end;
      end += work.k_end - work.k_begin;
      spans.push_back({SpanKind::MainLoop, number, number, 0, begin, end, work});
    }
  }
  return spans;
}

}  // namespace

TEST_CASE("padded rows are those that a walk over all rows of tiles finds beyond the problem") {
  std::mt19937 random(58);
  for (int draw = 0; draw < 200; ++draw) {
    const std::string group = random_group(random);
    CAPTURE(group);
    const Workload workload{.shapes = parse_shapes(group, MatrixOp::Gemm)};
    for (const int height : {8, 64, 96, 128, 256}) {
      int64_t inside = 0;
      int64_t beyond = 0;
      for (const GemmShape& shape : workload.shapes) {
        for (int64_t tile = 0; tile * height < shape.m; ++tile) {
          for (int64_t row = tile * height; row < (tile + 1) * height; ++row) {
            ++(row < shape.m ? inside : beyond);
          }
        }
      }
      const RowPadding padding = row_padding(workload, height);
      CHECK(padding == RowPadding{height, inside, beyond});
      const double all = static_cast<double>(inside + beyond);
      CHECK(padding_pct(padding) * all == doctest::Approx(100.0 * static_cast<double>(beyond)));
    }
  }
}

TEST_CASE("every problem's time, CTAs and majorities are those of the work lists") {
  std::mt19937 random(59);
  for (int draw = 0; draw < 200; ++draw) {
    const std::string group = random_group(random);
    CAPTURE(group);
    const Plan plan = plan_of({.problem = group, .ctas = 1 + static_cast<int>(random() % 140)});
    const std::vector<std::vector<WorkTile>> ctas = assignments(plan);
    const GroupOccupancy occupancy = group_occupancy(plan, k_step_spans(ctas));
    REQUIRE(occupancy.problems.size() == plan.problems.size());
    REQUIRE(occupancy.ctas.size() == ctas.size());
    double total = 0;
    for (size_t problem = 0; problem < plan.problems.size(); ++problem) {
      const ProblemShare& share = occupancy.problems[problem];
      int64_t steps = 0;
      int64_t sharing = 0;
      for (const std::vector<WorkTile>& works : ctas) {
        int64_t own = 0;
        for (const WorkTile& work : works) {
          if (work.problem == static_cast<int>(problem)) own += work.k_end - work.k_begin;
        }
        steps += own;
        sharing += own > 0 ? 1 : 0;
      }
      CHECK(share.time == static_cast<double>(steps));
      CHECK(share.ctas == sharing);
      total += share.time;
    }
    CHECK(occupancy.time == total);
    std::vector<int64_t> mostly(plan.problems.size());
    for (const std::vector<ProblemTime>& problems : occupancy.ctas) {
      for (const ProblemTime& p : problems) CHECK(p.time <= problems.front().time);
      if (!problems.empty()) ++mostly[static_cast<size_t>(problems.front().problem)];
    }
    for (size_t i = 0; i < mostly.size(); ++i) CHECK(occupancy.problems[i].mostly == mostly[i]);
  }
}

TEST_CASE("with A and B exchanged, the columns of the kernel's tile hold the rows of D") {
  TileConfig config;
  config.cta = parse_tile("128x32x64");
  CHECK(tile_rows_of(config) == 128);
  config.swap_ab = true;
  CHECK(tile_rows_of(config) == 32);
}

TEST_CASE(
    "a report has the padding of its own tiles and of other heights, and the empty problems") {
  const Plan plan = plan_of({.problem = "100x256x64,0x256x64,300x256x64", .cta = "192x128x64"});
  const ScheduleReport report = report_schedule(plan);
  CHECK(report.empty_problems == 1);
  CHECK(report.padding == RowPadding{192, 400, 176});
  std::vector<int> heights;
  for (const RowPadding& padding : report.paddings) heights.push_back(padding.tile_rows);
  CHECK(heights == std::vector<int>{8, 16, 32, 64, 128, 192, 256});
}

TEST_CASE("stream-K has no waves") {
  CHECK(report_schedule(plan_of({.problem = "1024x1024x512"})).waves == 8);
  const ScheduleReport shared =
      report_schedule(plan_of({.problem = "1024x1024x512", .decomposition = "stream-k:all"}));
  CHECK_FALSE(shared.waves.has_value());
}
