#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/files.hpp"
#include "picture_output.hpp"
#include "support/devices.hpp"
#include "support/scenes.hpp"
#include "tile/config/config_keys.hpp"

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

// A trace that runs as predicted: every unit's spans up to the end of the first kernel.
TEST_CASE("a trace is compared with the kernel that it records, not with the one that sums parts") {
  for (const char* const text :
       {"family=sm90,cta=128x128x64,cluster=1x1,stages=4,raster=row,decomposition=split-k:4",
        "family=sm90,cta=128x128x64,cluster=1x1,stages=4,raster=row,"
        "decomposition=split-k:4:workspace",
        "family=sm80,cta=64x64x64,warps=2x2,stages=3,smem=fitted,raster=row,"
        "decomposition=split-k:4:workspace"}) {
    CAPTURE(text);
    RecordedTrace recorded{{.shapes = {{256, 512, 8192}}}, config_of(parse_config(text)), {}};
    const Plan plan = make_plan(recorded.workload, recorded.config, testing::h200());
    const auto last_cta = static_cast<int>(plan.ctas()) - 1;
    recorded.trace.records = {{last_cta, 0, 0, 0, 0, true, 0, 1}};
    const LaunchSpans predicted = predicted_spans(recorded, testing::h200());
    const bool later = tw::sums_later(plan.reduction);
    CHECK((predicted.second_kernel_us > 1) == later);
    recorded.trace.records.clear();
    for (const WorkSpan& span : predicted.spans) {
      if (span.kind == SpanKind::Reduction && later) continue;
      recorded.trace.records.push_back({static_cast<int>(span.cta), static_cast<int>(span.lane), 0,
                                        span.work.m, span.work.n, true,
                                        static_cast<uint64_t>(std::llround(1000 * span.begin_us)),
                                        static_cast<uint64_t>(std::llround(1000 * span.end_us))});
    }
    const Scene scene = trace_picture(recorded, testing::h200());
    const std::vector<std::string> lines = testing::texts_of(scene.items, "subtitle");
    CHECK(lines[1].find("measured over predicted: 1.000") == 0);
    CHECK((lines[1].find("of the first kernel") != std::string::npos) == later);
  }
}

TEST_CASE("extensions choose between a picture and the records") {
  CHECK(is_picture("a/b.svg"));
  CHECK(is_picture("b.png"));
  CHECK(is_picture("b.pdf"));
  CHECK_FALSE(is_picture("b.json"));
  CHECK_FALSE(is_picture("-"));
}
