// The picture of a recorded launch: what every multiprocessor did, beside what was predicted.
#pragma once

#include <string>
#include <vector>

#include "draw/room.hpp"
#include "draw/scene.hpp"
#include "tile/plan/work_tile.hpp"

namespace tilewright {

/// Spans of one launch, microseconds from the first start of a tile.
struct LaunchSpans {
  std::vector<WorkSpan> spans;  // of one lane: none overlaps another
  int64_t lanes = 0;
  std::vector<int64_t> sm_of_lane;  // of every lane its multiprocessor; -1: nobody knows
  double second_kernel_us = 0;      // of the spans' end: the kernel that sums parts; 0: none
};

struct TraceComparison {
  std::string title;
  std::string config;
  std::string device;  // that the prediction is about
  LaunchSpans measured;
  LaunchSpans predicted;
  bool second_is_unknown = false;  // a second kernel is predicted, not recorded, and in neither
};

/// How far apart the CTAs' first starts are, microseconds.
double launch_skew_us(const std::vector<WorkSpan>& spans);

/// Two charts with one time axis and their numbers. Throws a usage error beyond what a chart holds.
Scene trace_diagram(const TraceComparison& comparison, const Room& room = {});

}  // namespace tilewright
