#include <doctest/doctest.h>

#include <algorithm>
#include <tuple>

#include "base/files.hpp"
#include "picture_output.hpp"
#include "support/devices.hpp"

using namespace tilewright;

namespace {

RecordedTrace made_up() {
  const std::string path = TILEWRIGHT_SOURCE_DIR "/tests/data/made_up_trace.json";
  return read_trace(read_file(path), path);
}

bool lanes_are_disjoint(std::vector<WorkSpan> spans) {
  std::sort(spans.begin(), spans.end(), [](const WorkSpan& a, const WorkSpan& b) {
    return std::tie(a.lane, a.begin_us) < std::tie(b.lane, b.begin_us);
  });
  for (size_t i = 1; i < spans.size(); ++i) {
    if (spans[i].lane == spans[i - 1].lane && spans[i].begin_us < spans[i - 1].end_us - 1e-9) {
      return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("every record is one span on its multiprocessor") {
  const RecordedTrace recorded = made_up();
  const LaunchSpans launch = measured_spans(recorded.trace);
  REQUIRE(launch.spans.size() == recorded.trace.records.size());
  CHECK(lanes_are_disjoint(launch.spans));
  CHECK(launch.lanes == 64);
  for (const TraceRecord& r : recorded.trace.records) {
    const auto same = [&](const WorkSpan& span) {
      return span.work.m == r.m && span.work.n == r.n && span.cta == r.cta &&
             launch.lane_labels[static_cast<size_t>(span.lane)] == std::to_string(r.sm) &&
             span.end_us - span.begin_us ==
                 doctest::Approx(static_cast<double>(r.end_ns - r.start_ns) / 1000);
    };
    REQUIRE(std::count_if(launch.spans.begin(), launch.spans.end(), same) == 1);
  }
}

TEST_CASE(
    "tiles that overlap on a multiprocessor have lanes of their own, the first one its name") {
  KernelTrace trace;
  trace.records = {{0, 9, 0, 0, 0, true, 1000, 3000},
                   {0, 9, 1, 0, 1, true, 2000, 4000},
                   {0, 9, 2, 0, 2, true, 3000, 5000},
                   {1, 4, 3, 0, 3, false, 1500, 1500}};
  const LaunchSpans launch = measured_spans(trace);
  CHECK(launch.lanes == 3);
  CHECK(launch.lane_labels == std::vector<std::string>{"4", "9", ""});
  CHECK(lanes_are_disjoint(launch.spans));
  CHECK(launch.spans[0].kind == SpanKind::Padding);
  CHECK(launch.spans[1].begin_us == 0);
  CHECK(launch.spans[3].turn == 2);
  CHECK(launch.spans[3].lane == 1);  // free again
}

TEST_CASE(
    "the prediction computes the tiles of the trace, on as many CTAs, from the first one's start") {
  const RecordedTrace recorded = made_up();
  const LaunchSpans launch = predicted_spans(recorded, testing::h200());
  CHECK(launch.lanes == 64);
  CHECK(lanes_are_disjoint(launch.spans));
  double first = 1e9;
  int tiles = 0;
  for (const WorkSpan& span : launch.spans) {
    CHECK(span.kind != SpanKind::Launch);
    first = std::min(first, span.begin_us);
    if (span.kind != SpanKind::MainLoop) continue;
    ++tiles;
    const auto same = [&](const TraceRecord& r) {
      return r.cta == span.cta && r.m == span.work.m && r.n == span.work.n;
    };
    CHECK(std::any_of(recorded.trace.records.begin(), recorded.trace.records.end(), same));
  }
  CHECK(tiles == 130);
  CHECK(first == doctest::Approx(0));
}

TEST_CASE("extensions choose between a picture and the records") {
  CHECK(is_picture("a/b.svg"));
  CHECK(is_picture("b.png"));
  CHECK(is_picture("b.pdf"));
  CHECK_FALSE(is_picture("b.json"));
  CHECK_FALSE(is_picture("-"));
}
