#include "model/span_recorder.hpp"

#include <doctest/doctest.h>

using namespace tilewright;

TEST_CASE("units keep their order; early exits count as units but have no span") {
  std::vector<WorkSpan> spans;
  SpanRecorder recorder(2, 1, spans);
  recorder.add_unit({1, {0, 5, 6, 0, 4}, UnitKind::EarlyExit});
  recorder.add_unit({1, {0, 1, 2, 0, 4}, UnitKind::Work});
  recorder.add_unit({0, {0, 3, 4, 0, 4}, UnitKind::Padded});
  recorder.add_unit({1, {0, 1, 3, 2, 4}, UnitKind::Work});
  recorder.launch(1, 2.5);
  recorder.start(1, 0);
  recorder.main_loop(1, 0, 2.5, 4);
  recorder.part(1, 0, 6.5, 0, 0, 1);
  recorder.main_loop(1, 1, 7.5, 2);
  recorder.fix_up(1, 1, 9.5, 0.25);
  recorder.part(1, 1, 9.75, 2.75, 0.5, 1);
  recorder.start(0, 0);
  recorder.main_loop(0, 0, 14, 4);
  recorder.second_kernel(18, 3.5);
  const WorkTile whole{0, 1, 2, 0, 4};
  const WorkTile part{0, 1, 3, 2, 4};
  CHECK(spans == std::vector<WorkSpan>{{SpanKind::Launch, 0, 0, 0, 0, 2.5, {}},
                                       {SpanKind::MainLoop, 1, 0, 1, 2.5, 6.5, whole},
                                       {SpanKind::Epilogue, 1, 0, 1, 6.5, 7.5, whole},
                                       {SpanKind::MainLoop, 1, 0, 2, 7.5, 9.5, part},
                                       {SpanKind::FixUp, 1, 0, 2, 9.5, 9.75, part},
                                       {SpanKind::Waiting, 1, 0, 2, 9.75, 12.5, part},
                                       {SpanKind::FixUp, 1, 0, 2, 12.5, 13, part},
                                       {SpanKind::Epilogue, 1, 0, 2, 13, 14, part},
                                       {SpanKind::Padding, 0, 0, 0, 14, 18, {0, 3, 4, 0, 4}},
                                       {SpanKind::Reduction, 0, 0, 0, 18, 21.5, {}}});
}

TEST_CASE("a span without duration is not kept") {
  std::vector<WorkSpan> spans;
  SpanRecorder recorder(1, 1, spans);
  recorder.add_unit({0, {0, 0, 0, 0, 1}, UnitKind::Work});
  recorder.start(0, 0);
  recorder.main_loop(0, 0, 1, 2);
  recorder.part(0, 0, 3, 0, 0, 0);
  CHECK(spans.size() == 1);
}

TEST_CASE("the units of a CTA alternate between its lanes") {
  std::vector<WorkSpan> spans;
  SpanRecorder recorder(2, 2, spans);
  for (int i = 0; i < 3; ++i) recorder.add_unit({1, {0, i, 0, 0, 1}, UnitKind::Work});
  recorder.launch(1, 1);
  recorder.start(1, 0);
  recorder.main_loop(1, 0, 1, 2);
  recorder.main_loop(1, 1, 3, 2);
  recorder.part(1, 0, 3, 0, 1, 0);
  recorder.main_loop(1, 2, 5, 2);
  std::vector<int64_t> lanes;
  for (const WorkSpan& span : spans) lanes.push_back(span.lane);
  CHECK(lanes == std::vector<int64_t>{0, 1, 0, 1, 0, 0});
}
