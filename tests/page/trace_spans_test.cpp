#include "page/trace_spans.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "draw/gantt.hpp"
#include "model/timeline.hpp"
#include "support/devices.hpp"
#include "support/scenes.hpp"
#include "support/traces.hpp"
#include "tile/config/config_keys.hpp"

using namespace tilewright;

namespace {

bool lanes_are_disjoint(std::vector<WorkSpan> spans) {
  std::sort(spans.begin(), spans.end(), [](const WorkSpan& a, const WorkSpan& b) {
    return std::tie(a.lane, a.begin_us, a.end_us) < std::tie(b.lane, b.begin_us, b.end_us);
  });
  for (size_t i = 1; i < spans.size(); ++i) {
    if (spans[i].lane == spans[i - 1].lane && spans[i].begin_us < spans[i - 1].end_us - 1e-6) {
      return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("every record is one span on its multiprocessor, and both sides have the same lanes") {
  const RecordedTrace recorded = made_up_trace();
  const auto [launch, predicted, is_unknown] = trace_spans(recorded, testing::h200());
  const std::vector<int64_t>& sm_of_lane = launch.sm_of_lane;
  CHECK_FALSE(is_unknown);
  REQUIRE(launch.spans.size() == recorded.trace.records.size());
  CHECK(lanes_are_disjoint(launch.spans));
  CHECK(launch.lanes == 64);
  CHECK(predicted.lanes == launch.lanes);
  CHECK(predicted.sm_of_lane == sm_of_lane);
  CHECK(std::is_sorted(sm_of_lane.begin(), sm_of_lane.end()));
  for (const TraceRecord& r : recorded.trace.records) {
    const auto same = [&](const WorkSpan& span) {
      return span.work.m == r.m && span.work.n == r.n && span.cta == r.cta &&
             sm_of_lane[static_cast<size_t>(span.lane)] == r.sm &&
             span.end_us - span.begin_us ==
                 doctest::Approx(static_cast<double>(r.end_ns - r.start_ns) / 1000);
    };
    REQUIRE(std::count_if(launch.spans.begin(), launch.spans.end(), same) == 1);
  }
}

TEST_CASE("predicted tiles lie on the multiprocessor that ran their CTA, and begin at 0") {
  const RecordedTrace recorded = made_up_trace();
  const LaunchSpans launch = trace_spans(recorded, testing::h200()).predicted;
  CHECK(lanes_are_disjoint(launch.spans));
  double first = 1e9;
  int tiles = 0;
  for (const WorkSpan& span : launch.spans) {
    CHECK(span.kind != SpanKind::Launch);
    first = std::min(first, span.begin_us);
    if (span.kind != SpanKind::MainLoop) continue;
    ++tiles;
    const auto same = [&](const TraceRecord& r) {
      return r.cta == span.cta && r.m == span.work.m && r.n == span.work.n &&
             r.sm == launch.sm_of_lane[static_cast<size_t>(span.lane)];
    };
    CHECK(std::any_of(recorded.trace.records.begin(), recorded.trace.records.end(), same));
  }
  CHECK(tiles == 130);
  CHECK(first == doctest::Approx(0));
}

TEST_CASE("a launch that runs as predicted has the predicted lanes, second kernel and tail") {
  for (const char* const schedule : {"cooperative", "pingpong"}) {
    for (const char* const decomposition :
         {"data-parallel", "split-k:3", "split-k:3:workspace", "stream-k"}) {
      CAPTURE(std::string(schedule));
      CAPTURE(std::string(decomposition));
      RecordedTrace recorded = as_predicted(
          format("family=sm90,cta=128x128x64,cluster=1x1,stages=4,schedule={},raster=row,"
                 "decomposition={}",
                 schedule, decomposition),
          {1664, 1792, 4096});
      const TraceSpans both = trace_spans(recorded, testing::h200());
      const auto& [measured, predicted, is_unknown] = both;
      CHECK(lanes_are_disjoint(measured.spans));
      CHECK(lanes_are_disjoint(predicted.spans));
      CHECK(measured.sm_of_lane == predicted.sm_of_lane);
      CHECK(measured.lanes == (std::string(schedule) == "pingpong" ? 264 : 132));
      CHECK(last_end_us(measured.spans) ==
            doctest::Approx(last_end_us(predicted.spans)).epsilon(1e-3));
      CHECK(measured.second_kernel_us == doctest::Approx(predicted.second_kernel_us).epsilon(1e-2));
      CHECK((predicted.second_kernel_us > 0) ==
            (std::string(decomposition) == "split-k:3:workspace"));
      const Tail ours = tail_of(measured.spans, measured.sm_of_lane);
      const Tail theirs = tail_of(predicted.spans, predicted.sm_of_lane);
      CHECK(std::abs(ours.begin_us - theirs.begin_us) < 0.01);
      CHECK(std::abs(ours.end_us - theirs.end_us) < 0.01);
      const Scene scene = trace_picture(recorded, testing::h200());
      const std::vector<std::string> lines = testing::texts_of(scene.items, "subtitle");
      CHECK(lines[1].find("measured over predicted: 1.000") == 0);
      const bool has_second = recorded.trace.second.has_value();
      recorded.trace.second.reset();
      const TraceSpans without = trace_spans(recorded, testing::h200());
      CHECK(without.second_is_unknown == has_second);
      CHECK(without.predicted.second_kernel_us == 0);
      CHECK(last_end_us(without.predicted.spans) ==
            doctest::Approx(last_end_us(without.measured.spans)).epsilon(1e-3));
    }
  }
}

TEST_CASE("tiles that overlap on a multiprocessor have separate lanes") {
  RecordedTrace recorded = made_up_trace();
  recorded.trace.records = {{0, 9, 0, 0, 0, true, 1000, 3000},
                            {0, 9, 1, 0, 1, true, 2000, 4000},
                            {0, 9, 2, 0, 2, true, 3000, 5000},
                            {1, 4, 3, 0, 3, false, 1500, 1500}};
  const LaunchSpans launch = trace_spans(recorded, testing::h200()).measured;
  CHECK(launch.sm_of_lane == std::vector<int64_t>{4, 9, 9});
  CHECK(lanes_are_disjoint(launch.spans));
  CHECK(std::count_if(launch.spans.begin(), launch.spans.end(),
                      [](const WorkSpan& span) { return span.kind == SpanKind::Padding; }) == 1);
}

TEST_CASE("a trace of tiles or CTAs that no launch has is refused") {
  RecordedTrace recorded = made_up_trace();
  recorded.trace.records[0].m = 500;
  CHECK_THROWS_AS(trace_spans(recorded, testing::h200()), Error);
  recorded = made_up_trace();
  recorded.trace.records[0].cta = 2'000'000'000;
  CHECK_THROWS_AS(trace_spans(recorded, testing::h200()), Error);
}
