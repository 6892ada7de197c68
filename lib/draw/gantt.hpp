// Timeline of all multiprocessors: bars on a time axis, one lane below the other.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "draw/diagram_page.hpp"
#include "draw/palette.hpp"
#include "draw/time_axis.hpp"
#include "tile/plan/work_tile.hpp"

namespace tilewright {

/// Most spans of one picture, and most lanes.
inline constexpr int64_t kMaxSpans = 1'000'000;
inline constexpr int64_t kMaxLanes = 512;

struct Gantt {
  std::string caption;
  std::string unit = "us";               // of all times
  std::string lane_name = "CTA";         // what a lane stands for
  std::vector<std::string> lane_labels;  // none: lane numbers; equal neighbours are written once
  std::vector<int64_t> sm_of_lane;       // multiprocessor of each lane; none: each lane has its own
  int64_t lanes = 0;
  std::vector<WorkSpan> spans;  // spans of one lane do not overlap
  double begin_us = 0;          // start of the axis
  double end_us = 0;
  double width = 1000;  // width of the bars' area, pixels
  double height = 0;    // most height of the bars' area, pixels; 0: as the lanes need
  UnitColors colors = {};
  std::vector<int> owner_of_row;  // GPU that owns each row of tiles; none: `colors` apply
  bool has_numbers = true;        // of the axis, below the bars
  bool grouped = false;           // texts name the problem
  bool mark_tail = false;  // marks the time from the first multiprocessor without work to the end
  double label_room = 0;   // least width left of the bars, so that charts line up
};

/// The span's name in texts, such as "main-loop".
const char* span_name(SpanKind kind);

/// Lane labels where each place has `lanes_per_place` lanes: its number on each of them. Empty for
/// one lane per place, because lanes show their numbers by default.
std::vector<std::string> labels_of_lanes(int64_t resident, int64_t lanes_per_place);

/// The time from when the first multiprocessor that worked runs out of work until the last one
/// does, without a second kernel. `sm_of_lane` is that of Gantt.
struct Tail {
  double begin_us = 0;
  double end_us = 0;
};
Tail tail_of(std::span<const WorkSpan> spans, std::span<const int64_t> sm_of_lane);

/// End of the last span, microseconds; 0 without spans.
double last_end_us(std::span<const WorkSpan> spans);

/// Throws a usage error beyond kMaxLanes or kMaxSpans.
void require_drawable_spans(int64_t lanes, int64_t spans);

/// The axis of the chart in its block.
TimeAxis axis_of(const Gantt& gantt);

/// Fits the chart into a size: its bars take the width that the labels leave.
void set_size(Gantt& gantt, const AvailableSize& available);

/// Draws the bars; a bar too narrow to see is joined with its neighbours.
PageBlock draw_gantt(const Gantt& gantt);

/// Explains the colours that occur in these charts.
std::vector<LegendEntry> gantt_legend(std::span<const Gantt> charts);

}  // namespace tilewright
