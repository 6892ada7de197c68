// The picture of a recorded launch: the timeline of every multiprocessor beside the prediction.
#pragma once

#include <string>
#include <vector>

#include "draw/scene.hpp"
#include "tile/plan/work_tile.hpp"

namespace tilewright {

/// Spans of one launch, microseconds from the start of the first tile.
struct LaunchSpans {
  std::vector<WorkSpan> spans;  // spans of one lane do not overlap
  int64_t lanes = 0;
  std::vector<int64_t> sm_of_lane;  // multiprocessor of each lane; -1: unknown
  double second_kernel_us = 0;      // time at the end for the kernel that sums parts; 0: none
};

struct TraceComparison {
  std::string title;
  std::string config;
  std::string device;  // device of the prediction
  LaunchSpans measured;
  LaunchSpans predicted;
  // The predicted second kernel was not recorded, and both sides leave it out.
  bool second_is_unknown = false;
};

/// Time between the first and the last CTA's first start, microseconds.
double launch_skew_us(const std::vector<WorkSpan>& spans);

/// Two charts with one time axis, and their numbers. Throws a usage error where a chart is too
/// large.
Scene trace_diagram(const TraceComparison& comparison, const AvailableSize& available = {});

}  // namespace tilewright
