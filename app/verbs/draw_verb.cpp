// `draw`: the subjects of analyze as pictures.
#include <numeric>

#include "base/files.hpp"
#include "base/text.hpp"
#include "draw/access_diagram.hpp"
#include "draw/assignment_grids.hpp"
#include "draw/diagram_page.hpp"
#include "draw/grid_diagram.hpp"
#include "draw/layout_diagram.hpp"
#include "draw/nested_diagram.hpp"
#include "draw/picture.hpp"
#include "draw/schedule_diagram.hpp"
#include "draw/swizzle_diagram.hpp"
#include "draw/thread_value_diagram.hpp"
#include "draw/wave_strip.hpp"
#include "host/devices.hpp"
#include "model/grid_traffic.hpp"
#include "model/price.hpp"
#include "model/timeline.hpp"
#include "page/trace_spans.hpp"
#include "render/picture_output.hpp"
#include "request/job.hpp"
#include "tile/plan/schedule_proof.hpp"
#include "verbs/schedule_subject.hpp"
#include "verbs/subjects.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {

namespace {

Scene access_scene(const AccessRequest& request, const AvailableSize& available) {
  return request.space == MemorySpace::Shared ? shared_access_diagram(request.accesses, available)
                                              : global_access_diagram(request.accesses, available);
}

LayoutView view_of(const DrawLayoutOptions& o) {
  const CellColor usual = o.element_bytes > 0 ? CellColor::Bank : CellColor::Value;
  return {.color = o.color.value_or(usual), .element_bytes = o.element_bytes, .element = o.element};
}

Drawing thread_values(const DrawLayoutOptions& o, ThreadValueTile tile) {
  if (o.versus || o.element || o.element_bytes > 0) {
    throw usage_error("--tv draws one layout by thread: omit --versus, --element and --dtype");
  }
  if (o.color == CellColor::Bank)
    throw usage_error("--tv shows no banks: use --color value or thread");
  OwnershipView view;
  if (o.thread >= 0) view.thread = o.thread;
  view.by_value = o.color == CellColor::Value;
  return [layout = o.layout, tile, view](const AvailableSize& available) {
    return thread_value_diagram(layout, tile, view, available);
  };
}

// Instructions side by side are drawn as the tile that they compute, not as threads by values.
std::optional<ThreadValueTile> shown_tile(const DrawLayoutOptions& o) {
  const bool asks_offsets =
      o.versus || o.element || o.element_bytes > 0 || o.color == CellColor::Bank;
  return o.tv || asks_offsets ? o.tv : o.named;
}

Drawing layout_drawing(const DrawLayoutOptions& o) {
  if (const std::optional<ThreadValueTile> tile = shown_tile(o)) return thread_values(o, *tile);
  if (o.thread >= 0) throw usage_error("--thread needs --tv MxN, such as --tv 16x8");
  return [layout = o.layout, versus = o.versus, view = view_of(o)](const AvailableSize& available) {
    return versus ? layout_comparison(layout, *versus, view, available)
                  : layout_diagram(layout, view, available);
  };
}

std::vector<RankTimeline> rank_timelines(const Plan& plan, const DeviceSpec& device) {
  std::vector<RankTimeline> ranks;
  for (const Plan& rank : plans_of_ranks(plan.workload, plan.config, device, plan.options)) {
    const Price price = price_of(rank, device);
    ranks.push_back({.spans = {}, .links = price.links});
    predict_timeline(rank, price, &ranks.back().spans);
  }
  return ranks;
}

PredictedSchedule predict(const NamedSchedule& schedule) {
  PredictedSchedule p;
  p.name = schedule.name;
  ScheduleSubject subject = plan_schedule(schedule.request);
  require_drawable_units(subject.plan);  // before the first is recorded
  ScheduleNumbers numbers = report_schedule(subject, &p.spans);
  if (is_across_gpus(subject.plan.workload)) {
    p.ranks = rank_timelines(subject.plan, subject.device);
  }
  p.plan = std::move(subject.plan);
  p.report = std::move(numbers.report);
  p.lanes_per_cta = numbers.timeline.lanes_per_cta;
  p.waiting_us = numbers.timeline.waiting_us;
  p.counts_k_steps = numbers.timeline.counts_k_steps;
  if (has_grid_traffic(p.plan)) p.rereads = wave_rereads(grid_traffic(p.plan, subject.device));
  return p;
}

Drawing schedule_drawing(const DrawScheduleRequest& request, std::vector<std::string>& faults) {
  std::vector<PredictedSchedule> schedules;
  for (const NamedSchedule& schedule : request.schedules) {
    schedules.push_back(predict(schedule));
    const PredictedSchedule& p = schedules.back();
    if (!p.plan.options.external) continue;
    add_fault(p.plan.options.external->name, fault_of_given(p.plan, p.report.proof), faults);
  }
  return [schedules = std::move(schedules), look = request.look](const AvailableSize& available) {
    return schedule_diagram(schedules, look, available);
  };
}

Drawing grid_drawing(const DrawGridRequest& request, std::vector<std::string>& faults) {
  if (!request.window) require_drawable(request.grid.tiles);
  const auto report_of = [&faults](const GridRequest& grid) {
    GridReport report = report_grid(grid);
    add_fault(raster_name(report), fault_of_given(report), faults);
    return report;
  };
  const GridReport report = report_of(request.grid);
  const auto color = request.color;
  const auto window = request.window;
  if (!request.versus) {
    return [=](const AvailableSize& available) {
      return grid_diagram(report, color, window, available);
    };
  }
  return [=, after = report_of(*request.versus)](const AvailableSize& available) {
    return grid_comparison(report, after, color, window, available);
  };
}

void add_rates_notes(const DeviceSpec& device, Report& report) {
  for (std::string& note : rates_notes(device)) report.notes.push_back(std::move(note));
}

}  // namespace

Report run_draw_grid(const DrawGridRequest& request) {
  std::vector<std::string> faults;
  Report report{.notes =
                    write_scene(request.picture, [&] { return grid_drawing(request, faults); })};
  report.violated = std::move(faults);
  if (request.grid.device) add_rates_notes(*request.grid.device, report);
  return report;
}

Report run_draw_access(const AccessRequest& request, const PictureOptions& picture) {
  const auto make = [&]() -> Drawing {
    return [&](const AvailableSize& size) { return access_scene(request, size); };
  };
  return {.notes = write_scene(picture, make)};
}

Report run_draw_swizzle(const SwizzleOptions& options) {
  const auto make = [&]() -> Drawing {
    if (!is_alone(options)) {
      return [report = report_swizzle(options)](const AvailableSize& available) {
        return swizzle_diagram(report, available);
      };
    }
    const SwizzleFacts facts = swizzle_facts(options);
    // As many elements as the swizzle keeps together, but not more than a row has.
    const int64_t together = std::gcd(int64_t{1} << facts.swizzle.base, facts.tile.cols);
    const int64_t vector = options.vector > 0 ? options.vector : together;
    if (facts.tile.cols % vector != 0) {
      throw usage_error(format("--vector {} does not divide the {} columns of --tile {}", vector,
                               facts.tile.cols, options.tile));
    }
    return
        [=](const AvailableSize& available) { return swizzle_diagram(facts, vector, available); };
  };
  return {.notes = write_scene(options.picture, make)};
}

Report run_draw_nested(const DrawNestedRequest& request) {
  const auto make = [&]() -> Drawing {
    const NestedReport report = report_nested(request.nested);
    if (request.subgroup < 0) {
      return [report](const AvailableSize& available) { return nested_diagram(report, available); };
    }
    const NestedSlice slice = slice_of_subgroup(report, request.subgroup);
    const std::string title = format("Subgroup {}: {} of {}", request.subgroup, slice.place,
                                     to_string(vector_shape(report.layout)));
    return [slice, title](const AvailableSize& available) {
      Scene scene = nested_diagram(slice.report, available);
      change_title(scene, title, available.width);
      return scene;
    };
  };
  return {.notes = write_scene(request.picture, make)};
}

Report run_draw_layout(const DrawLayoutOptions& options) {
  return {.notes = write_scene(options.picture, [&] { return layout_drawing(options); })};
}

Report run_draw_schedule(const DrawScheduleRequest& request) {
  std::vector<std::string> faults;
  Report report{
      .notes = write_scene(request.picture, [&] { return schedule_drawing(request, faults); })};
  report.violated = std::move(faults);
  add_rates_notes(request.schedules.front().request.device, report);
  return report;
}

Report run_draw_trace(const DrawTraceOptions& options) {
  const auto make = [&]() -> Drawing {
    return [recorded = read_trace(read_file(options.file), options.file),
            device = resolve_device(options.device).spec](const AvailableSize& available) {
      return trace_picture(recorded, device, available);
    };
  };
  return {.notes = write_scene(options.picture, make)};
}

}  // namespace tilewright
