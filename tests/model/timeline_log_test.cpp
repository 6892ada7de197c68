#include "model/timeline_log.hpp"

#include <doctest/doctest.h>

namespace tilewright {
namespace {

TEST_CASE("waiting is the time that neither moves sums nor stores, with spans and without") {
  std::vector<WorkSpan> spans;
  SpanRecorder recorder(2, 1, spans);
  recorder.add_unit({1, {0, 1, 2, 0, 4}, UnitKind::Work});
  for (SpanRecorder* const kept : {static_cast<SpanRecorder*>(nullptr), &recorder}) {
    TimelineLog log(2, 1, kept);
    log.launch(1, 2);
    log.start(1, 0);
    log.main_loop({1, 0}, 2, 4);
    log.move({1, 0}, 6, 7.5, 1);
    log.finish({1, 0}, 7.5, 12, 0.5, 1);
    CHECK(log.end(1, 12) == 12);
    CHECK(log.end(1, 11) == 12);
    const Timeline timeline = log.summed(false);
    CHECK(timeline.us == 12);
    CHECK(timeline.waiting_us == 0.5 + 3);
    CHECK(timeline.fix_up_us == 1 + 0.5);
    CHECK(timeline.end == std::vector<double>{0, 12});
    CHECK_FALSE(timeline.completed);
  }
  double waiting = 0;
  double fix_up = 0;
  for (const WorkSpan& span : spans) {
    const double us = span.end_us - span.begin_us;
    if (span.kind == SpanKind::Waiting) waiting += us;
    if (span.kind == SpanKind::FixUp) fix_up += us;
  }
  CHECK(waiting == 3.5);
  CHECK(fix_up == 1.5);
}

}  // namespace
}  // namespace tilewright
