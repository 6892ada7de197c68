#include "draw/gantt_bars.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace tilewright;

namespace {

// Random spans that do not overlap in a lane, from the last lane to the first.
std::vector<WorkSpan> random_spans(int64_t lanes, int count, double longest, double gap) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> share(0.01, 1);
  std::vector<WorkSpan> spans;
  for (int64_t lane = lanes - 1; lane >= 0; --lane) {
    double us = 0;
    for (int i = 0; i < count; ++i) {
      const double end = us + longest * share(random);
      spans.push_back({SpanKind::MainLoop, lane, lane, i, us, end, {}});
      us = end + gap * share(random);
    }
  }
  return spans;
}

}  // namespace

TEST_CASE("bars cover the spans of their lane in order, and only short neighbours are joined") {
  for (const double least_us : {0.0, 0.3, 1.0, 5.0}) {
    for (const double gap : {0.0, 0.2, 3.0}) {
      const std::vector<WorkSpan> spans = random_spans(5, 200, 2, gap);
      const auto bars = gantt_bars(spans, 5, least_us);
      REQUIRE(bars.size() == 5);
      for (size_t lane = 0; lane < 5; ++lane) {
        size_t at = 0;
        for (const GanttBar& bar : bars[lane]) {
          int covered = 0;
          bool all_short = true;
          for (const WorkSpan& span : spans) {
            if (span.lane != static_cast<int64_t>(lane)) continue;
            if (span.begin_us < bar.begin_us || span.end_us > bar.end_us) continue;
            ++covered;
            ++at;
            all_short = all_short && span.end_us - span.begin_us < least_us;
          }
          REQUIRE(covered >= 1);
          REQUIRE(bar.joined == (covered > 1));
          if (bar.joined) REQUIRE(all_short);
        }
        CHECK(at == 200);  // every span is in one bar
      }
    }
  }
}

TEST_CASE("bars are not joined over a visible gap") {
  const std::vector<WorkSpan> spans = {{SpanKind::Tile, 0, 0, 0, 0, 1, {}},
                                       {SpanKind::Tile, 0, 0, 1, 1.4, 2, {}},
                                       {SpanKind::Tile, 0, 0, 2, 4, 5, {}}};
  CHECK(gantt_bars(spans, 1, 2)[0].size() == 2);
  CHECK(gantt_bars(spans, 1, 0.5)[0].size() == 3);
  CHECK(gantt_bars({}, 2, 1).size() == 2);
}
