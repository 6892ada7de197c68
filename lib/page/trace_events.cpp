#include "page/trace_events.hpp"

#include <map>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "draw/gantt.hpp"

namespace tilewright {
namespace {

// An event that names or orders a process or a thread.
Document metadata(const char* name, int64_t process, int64_t thread, Document args) {
  return {
      {"ph", "M"}, {"name", name}, {"pid", process}, {"tid", thread}, {"args", std::move(args)}};
}

std::string name_of(const WorkSpan& span) {
  if (!is_unit(span.kind)) return "second kernel sums";
  return format("{} {},{}", span_name(span.kind), span.work.m, span.work.n);
}

Document complete_event(const WorkSpan& span, const char* side, int64_t process, int64_t thread) {
  Document event = {{"ph", "X"},
                    {"name", name_of(span)},
                    {"cat", side},
                    {"pid", process},
                    {"tid", thread},
                    {"ts", span.begin_us},
                    {"dur", span.end_us - span.begin_us}};
  if (!is_unit(span.kind)) return event;
  const WorkTile& w = span.work;
  event["args"] = {{"cta", span.cta}, {"unit", span.unit_index}, {"problem", w.problem}, {"m", w.m},
                   {"n", w.n},        {"k_begin", w.k_begin},    {"k_end", w.k_end}};
  return event;
}

// Process 0 is the idle process of every trace, so no multiprocessor has its number.
int64_t process_of(int64_t sm) {
  constexpr int64_t kUnknown = 1'000'000;
  return sm < 0 ? kUnknown : sm + 1;
}

// Adds the measured or predicted tracks of every multiprocessor, with thread ids from `thread` on.
void add_side(const LaunchSpans& launch, const char* side, int64_t thread, Document& events) {
  std::map<int64_t, int64_t> lanes;  // lanes of each multiprocessor so far
  const auto process_of_lane = [&launch](int64_t lane) {
    return process_of(launch.sm_of_lane[static_cast<size_t>(lane)]);
  };
  for (int64_t lane = 0; lane < launch.lanes; ++lane) {
    const int64_t process = process_of_lane(lane);
    events.push_back(metadata("thread_name", process, thread + lane,
                              {{"name", format("{} {}", side, lanes[process]++)}}));
    events.push_back(
        metadata("thread_sort_index", process, thread + lane, {{"sort_index", thread + lane}}));
  }
  for (const WorkSpan& span : launch.spans) {
    events.push_back(complete_event(span, side, process_of_lane(span.lane), thread + span.lane));
  }
}

}  // namespace

Document trace_events(const TraceSpans& spans) {
  Document events = Document::array();
  int64_t last = -2;
  for (const int64_t sm : spans.measured.sm_of_lane) {
    if (sm == last) continue;
    last = sm;
    const int64_t process = process_of(sm);
    events.push_back(metadata("process_name", process, 0,
                              {{"name", sm < 0 ? "SM unknown" : format("SM {}", sm)}}));
    events.push_back(metadata("process_sort_index", process, 0, {{"sort_index", process}}));
  }
  add_side(spans.measured, "measured", 1, events);
  add_side(spans.predicted, "predicted", 1 + spans.measured.lanes, events);
  return events;
}

}  // namespace tilewright
