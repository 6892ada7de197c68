// What every multiprocessor does when: bars on a time axis, one lane below the other.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "draw/diagram_page.hpp"
#include "draw/palette.hpp"
#include "tile/plan/work_tile.hpp"

namespace tilewright {

/// Spans that one picture holds, and lanes.
inline constexpr int64_t kMostSpans = 1'000'000;
inline constexpr int64_t kMostLanes = 512;

struct Gantt {
  std::string caption;
  std::string lane_name = "CTA";         // what a lane is
  std::vector<std::string> lane_labels;  // none: its number; written once where lanes share one
  std::vector<int64_t> sm_of_lane;       // its multiprocessor; none: one of its own
  int64_t lanes = 0;
  std::vector<WorkSpan> spans;  // of one lane: none overlaps another
  double begin_us = 0;          // of the axis
  double end_us = 0;
  double width = 1000;  // of the bars' area, pixels
  double height = 0;    // likewise, at most; 0: as the lanes need
  UnitColors colors = {};
  bool grouped = false;    // texts name the problem
  bool mark_tail = false;  // from the first multiprocessor that ran out of work
  double label_room = 0;   // least width left of the bars, so that charts line up
};

/// True where the span is of a CTA's unit, which then has a tile and a turn.
bool is_unit(SpanKind kind);

/// "main-loop": what the span is called.
const char* span_name(SpanKind kind);

/// Labels of the lanes of so many places: a place's number on each of its lanes. None where every
/// place has one lane, which is called by its number anyhow.
std::vector<std::string> labels_of_lanes(int64_t places, int64_t lanes_per_place);

/// From when the first multiprocessor that worked ran out of work to when the last did; a second
/// kernel is no part of it. `sm_of_lane`: as of Gantt.
struct Tail {
  double begin_us = 0;
  double end_us = 0;
};
Tail tail_of(std::span<const WorkSpan> spans, std::span<const int64_t> sm_of_lane);

/// When the last span ends; 0 without any.
double last_end_us(std::span<const WorkSpan> spans);

/// Throws a usage error beyond kMostLanes or kMostSpans.
void require_drawable_spans(int64_t lanes, int64_t spans);

/// Gives the chart a room: its bars take what the labels beside them leave.
void set_room(Gantt& gantt, const Room& room);

/// Draws the bars; those too narrow to see are drawn as one with their neighbours.
PageBlock draw_gantt(const Gantt& gantt);

/// What the colours of these charts mean; only of those that occur.
std::vector<LegendEntry> gantt_legend(std::span<const Gantt> charts);

}  // namespace tilewright
