// The picture of a recorded launch: what every multiprocessor did, beside what was predicted.
#pragma once

#include <string>
#include <vector>

#include "draw/scene.hpp"
#include "tile/plan/work_tile.hpp"

namespace tilewright {

/// Spans of one launch, microseconds from the first start of a tile.
struct LaunchSpans {
  std::vector<WorkSpan> spans;  // of one lane: none overlaps another
  int64_t lanes = 0;
  std::vector<std::string> lane_labels;  // none: the lane's number
  double second_kernel_us = 0;           // behind what a trace records, in the spans all the same
};

struct TraceComparison {
  std::string title;
  std::string config;
  std::string device;  // that the prediction is about
  LaunchSpans measured;
  LaunchSpans predicted;
};

/// How far apart the CTAs' first starts are, microseconds.
double launch_skew_us(const std::vector<WorkSpan>& spans);

/// Two charts with one time axis and their numbers. Throws a usage error beyond what a chart holds.
Scene trace_diagram(const TraceComparison& comparison);

}  // namespace tilewright
