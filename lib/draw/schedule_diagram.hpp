// The picture of a schedule, or of two side by side: which CTA computes which tile or part, and
// when.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "draw/palette.hpp"
#include "draw/rank_bands.hpp"
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

/// Parses one of kScheduleViews. Throws a usage error.
ScheduleView parse_schedule_view(std::string_view text);

/// Parses one of kUnitColors. Throws a usage error.
UnitColor parse_unit_color(std::string_view text);

/// A schedule and its predicted report.
struct PredictedSchedule {
  std::string name;  // distinguishes two schedules; empty for a single one
  Plan plan;
  ScheduleReport report;
  int64_t lanes_per_cta = 1;    // lanes per CTA in `spans`
  double waiting_us = 0;        // summed over CTAs
  bool counts_k_steps = false;  // of all times here: a k-step lasts 1, and no time is predicted
  std::vector<WorkSpan> spans;  // empty: the timeline is left out
  std::vector<double> rereads = {};      // DRAM re-reads of each wave; empty: unknown
  std::vector<RankTimeline> ranks = {};  // of all GPUs that share the product; empty: one GPU
};

struct ScheduleLook {
  std::optional<ScheduleView> view;  // none: the Gantt chart, above it grids or, where tiles are
                                     // divided, K-bars, for two schedules both; views too large
                                     // for a picture are left out
  std::optional<UnitColor> color;    // none: by CTA up to eight CTAs, else by wave
};

/// One schedule, or two with the same time axis: side by side or, on a narrow page, one below the
/// other. GPUs that share a product are drawn by their timelines, in the colours of the owners of
/// rows. Throws a usage error for a schedule too large for a picture, and for another look of GPUs.
Scene schedule_diagram(const std::vector<PredictedSchedule>& schedules, const ScheduleLook& look,
                       const AvailableSize& available = {});

}  // namespace tilewright
