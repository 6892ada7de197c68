#include "draw/gantt_bars.hpp"

#include <algorithm>

namespace tilewright {
namespace {

std::vector<GanttBar> join_short(const std::vector<const WorkSpan*>& lane, double least_us) {
  std::vector<GanttBar> bars;
  bool open = false;  // the last bar can take further short spans
  for (const WorkSpan* span : lane) {
    const bool is_short = span->end_us - span->begin_us < least_us;
    if (is_short && open && span->begin_us - bars.back().end_us < least_us / 2) {
      bars.back().joined = true;
      bars.back().end_us = span->end_us;
    } else {
      bars.push_back({span->begin_us, span->end_us, span, false});
      open = is_short;
    }
  }
  return bars;
}

}  // namespace

std::vector<std::vector<GanttBar>> gantt_bars(std::span<const WorkSpan> spans, int64_t lanes,
                                              double least_us) {
  std::vector<std::vector<const WorkSpan*>> sorted(static_cast<size_t>(lanes));
  for (const WorkSpan& span : spans) sorted[static_cast<size_t>(span.lane)].push_back(&span);
  std::vector<std::vector<GanttBar>> bars;
  for (std::vector<const WorkSpan*>& lane : sorted) {
    std::stable_sort(lane.begin(), lane.end(), [](const WorkSpan* a, const WorkSpan* b) {
      return a->begin_us < b->begin_us;
    });
    bars.push_back(join_short(lane, least_us));
  }
  return bars;
}

}  // namespace tilewright
