#include "page/plan_picture.hpp"

#include <utility>
#include <vector>

#include "base/error.hpp"
#include "draw/assignment_grids.hpp"
#include "draw/schedule_diagram.hpp"
#include "draw/wave_strip.hpp"
#include "model/grid_traffic.hpp"
#include "model/timeline.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {
namespace {

// Above this many spans, main loops and epilogues are joined: separate ones would double the bytes
// of a page, and the bar of a unit is already thin.
constexpr size_t kMaxPhases = 1000;

bool is_phase(const WorkSpan& span) {
  return span.kind == SpanKind::MainLoop || span.kind == SpanKind::Epilogue;
}

// Joins a unit's main loop and epilogue into one span.
void join_phases(std::vector<WorkSpan>& spans) {
  std::vector<WorkSpan> joined;
  joined.reserve(spans.size());
  for (const WorkSpan& span : spans) {
    WorkSpan* const last = joined.empty() ? nullptr : &joined.back();
    if (last != nullptr && is_phase(span) && last->lane == span.lane &&
        last->unit_index == span.unit_index && last->kind == SpanKind::Tile) {
      last->end_us = span.end_us;
      continue;
    }
    joined.push_back(span);
    if (is_phase(span)) joined.back().kind = SpanKind::Tile;
  }
  spans = std::move(joined);
}

}  // namespace

PlanPicture plan_picture(const Workload& workload, const TileConfig& config,
                         const DeviceSpec& device) {
  try {
    PredictedSchedule p;
    p.plan = make_plan(workload, config, device);
    require_drawable_units(p.plan);
    p.report = report_schedule(p.plan);
    p.report.device = device.name;
    const Timeline timeline = predict_timeline(p.plan, device, &p.spans);
    p.report.ends = timeline.completed;
    p.report.predicted_us = believed_us(timeline);
    p.counts_k_steps = timeline.counts_k_steps;
    if (p.spans.size() > kMaxPhases) join_phases(p.spans);
    p.lanes_per_cta = timeline.lanes_per_cta;
    p.waiting_us = timeline.waiting_us;
    if (has_grid_traffic(p.plan)) p.rereads = wave_rereads(grid_traffic(p.plan, device));
    return {schedule_diagram({p}, {}), ""};
  } catch (const Error& error) {
    if (error.code() != ExitCode::Usage) throw;
    return {std::nullopt, error.what()};
  }
}

}  // namespace tilewright
