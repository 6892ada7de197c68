// Turns spans into the bars of a chart; spans too short to see are joined with their neighbours.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tile/plan/work_tile.hpp"

namespace tilewright {

struct GanttBar {
  double begin_us = 0;
  double end_us = 0;
  const WorkSpan* span = nullptr;  // the first of the bar's spans
  bool joined = false;             // holds several spans, each shorter than `least_us`
};

/// The bars of each lane, ordered by time. Neighbours shorter than `least_us` are joined where the
/// gap between them is less than half of that. Bars point into `spans`.
std::vector<std::vector<GanttBar>> gantt_bars(std::span<const WorkSpan> spans, int64_t lanes,
                                              double least_us);

}  // namespace tilewright
