// Spans as the bars of a chart: those too short to see are drawn as one with their neighbours.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tile/plan/work_tile.hpp"

namespace tilewright {

struct GanttBar {
  double begin_us = 0;
  double end_us = 0;
  const WorkSpan* span = nullptr;  // the first one
  bool joined = false;             // several, each shorter than `least_us`
};

/// Per lane its bars in time's order. Neighbours shorter than `least_us` with less than half of
/// that between them are joined. Bars point into `spans`.
std::vector<std::vector<GanttBar>> gantt_bars(std::span<const WorkSpan> spans, int64_t lanes,
                                              double least_us);

}  // namespace tilewright
