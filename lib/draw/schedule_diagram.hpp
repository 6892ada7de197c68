// The picture of a schedule: who computes what, in parts or whole, and when; or of two side by
// side.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "draw/room.hpp"
#include "draw/scene.hpp"
#include "tile/plan/schedule_report.hpp"
#include "tile/plan/work_tile.hpp"

namespace tilewright {

enum class ScheduleView {
  Grid,   // CTA numbers in the tiles
  KBars,  // tiles cut along K
  Gantt,  // the predicted timeline
};

inline constexpr std::string_view kScheduleViews[] = {"grid", "k-bars", "gantt"};

/// One of kScheduleViews. Throws a usage error.
ScheduleView parse_schedule_view(std::string_view text);

/// A schedule with its numbers.
struct PredictedSchedule {
  std::string name;  // what tells it from the other one; empty for a single one
  Plan plan;
  ScheduleReport report;
  int64_t lanes_per_cta = 1;    // of the spans
  double waiting_us = 0;        // summed over CTAs
  std::vector<WorkSpan> spans;  // none: the timeline is left out
};

struct ScheduleLook {
  std::optional<ScheduleView> view;  // none: the Gantt chart below grids, or below K-bars where
                                     // tiles are divided, and of two schedules below both; what
                                     // exceeds a picture is left out
  std::optional<bool> by_cta;        // colours; none: by CTA up to eight of them, else by turn
};

/// One schedule, or two side by side with the same time axis, in a narrow room one below the other.
/// Throws a usage error for what exceeds a picture.
Scene schedule_diagram(const std::vector<PredictedSchedule>& schedules, const ScheduleLook& look,
                       const Room& room = {});

}  // namespace tilewright
