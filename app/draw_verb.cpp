// `draw`: the subjects of analyze as pictures.
#include <numeric>

#include "base/files.hpp"
#include "base/text.hpp"
#include "devices.hpp"
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
#include "harness_grid.hpp"
#include "job.hpp"
#include "layout/smem/tile_pattern.hpp"
#include "layout/text/layout_expression.hpp"
#include "layout/text/layout_report.hpp"
#include "model/grid_traffic.hpp"
#include "page/trace_spans.hpp"
#include "picture_output.hpp"
#include "schedule_subject.hpp"
#include "subjects.hpp"
#include "tile/plan/schedule_proof.hpp"
#include "verbs.hpp"

namespace tilewright {

namespace {

Drawing access_drawing(const AccessOptions& o) {
  if (o.space == "shared") {
    return [accesses = read_accesses(o)](const AvailableSize& available) {
      return shared_access_diagram(accesses, available);
    };
  }
  if (o.space == "global") {
    return [accesses = read_accesses(o)](const AvailableSize& available) {
      return global_access_diagram(accesses, available);
    };
  }
  throw usage_error(format("unknown space '{}': --space takes shared or global", o.space));
}

// Accepts "3,5", "(3,5)" and an index.
IntTuple parse_element(const std::string& text) {
  const bool bare = text.find(',') != std::string::npos && text.front() != '(';
  return parse_int_tuple(bare ? format("({})", text) : text);
}

LayoutView view_of(const DrawLayoutOptions& o) {
  LayoutView view;
  if (!o.dtype.empty()) view.element_bytes = parse_element_bytes(o.dtype);
  if (!o.color.empty()) {
    view.color = parse_cell_color(o.color);
  } else if (!o.dtype.empty()) {
    view.color = CellColor::Bank;
  }
  if (!o.element.empty()) view.element = parse_element(o.element);
  return view;
}

Drawing thread_values(const DrawLayoutOptions& o) {
  if (!o.versus.empty() || !o.element.empty() || !o.dtype.empty()) {
    throw usage_error("--tv draws one layout by thread: omit --versus, --element and --dtype");
  }
  OwnershipView view;
  if (o.thread >= 0) view.thread = o.thread;
  if (!o.color.empty()) {
    const CellColor color = parse_cell_color(o.color);
    if (color == CellColor::Bank)
      throw usage_error("--tv shows no banks: use --color value or thread");
    view.by_value = color == CellColor::Value;
  }
  return [layout = as_layout(read_layout(o.expression), "the layout"),
          tile = parse_thread_value_tile(o.tv), view](const AvailableSize& available) {
    return thread_value_diagram(layout, tile, view, available);
  };
}

Drawing layout_drawing(const DrawLayoutOptions& o) {
  if (!o.tv.empty()) return thread_values(o);
  if (o.thread >= 0) throw usage_error("--thread needs --tv MxN, such as --tv 16x8");
  const ComposedLayout layout = as_layout(read_layout(o.expression), "the layout");
  const LayoutView view = view_of(o);
  if (o.versus.empty()) {
    return [layout, view](const AvailableSize& available) {
      return layout_diagram(layout, view, available);
    };
  }
  return [layout, other = as_layout(read_layout(o.versus), "--versus"),
          view](const AvailableSize& available) {
    return layout_comparison(layout, other, view, available);
  };
}

ScheduleLook look_of(const DrawScheduleOptions& o) {
  ScheduleLook look;
  if (!o.view.empty()) look.view = parse_schedule_view(o.view);
  if (o.color.empty()) return look;
  if (o.color != "cta" && o.color != "wave") {
    throw usage_error(format("unknown colour '{}': --color takes cta or wave", o.color));
  }
  look.by_cta = o.color == "cta";
  return look;
}

PredictedSchedule predict(const ScheduleOptions& o, const std::string& name) {
  PredictedSchedule p;
  p.name = name;
  ScheduleSubject subject = read_schedule(o);
  require_drawable_units(subject.plan);  // before the first is recorded
  ScheduleNumbers numbers = report_schedule(subject, &p.spans);
  p.plan = std::move(subject.plan);
  p.report = std::move(numbers.report);
  p.lanes_per_cta = numbers.timeline.lanes_per_cta;
  p.waiting_us = numbers.timeline.waiting_us;
  if (has_grid_traffic(p.plan)) p.rereads = wave_rereads(grid_traffic(p.plan, subject.device));
  return p;
}

Drawing schedule_drawing(const DrawScheduleOptions& o, std::vector<std::string>& faults) {
  const ScheduleLook look = look_of(o);
  const auto predicted = [&faults](const ScheduleOptions& one, const std::string& name) {
    PredictedSchedule p = predict(one, name);
    add_fault(one.from, fault_of_given(p.plan, p.report.proof), faults);
    return p;
  };
  std::vector<PredictedSchedule> schedules;
  if (o.versus.empty()) {
    schedules.push_back(predicted(o.schedule, ""));
  } else {
    const ScheduleOptions other = with_changes(o.schedule, o.versus);
    schedules.push_back(predicted(o.schedule, changed_values(o.schedule, o.versus)));
    schedules.push_back(predicted(other, changed_values(other, o.versus)));
  }
  return [schedules = std::move(schedules), look](const AvailableSize& available) {
    return schedule_diagram(schedules, look, available);
  };
}

void add_rates_notes(const DeviceSpec& device, Report& report) {
  for (std::string& note : rates_notes(device)) report.notes.push_back(std::move(note));
}

}  // namespace

Report run_draw_grid(const GridOptions& options) {
  std::vector<std::string> faults;
  const auto report_of = [&faults](const GridOptions& o,
                                   const std::shared_ptr<const GivenOrder>& given) {
    GridReport report = report_grid(o, given);
    add_fault(raster_name(report), fault_of_given(report), faults);
    return report;
  };
  const auto make = [&]() -> Drawing {
    std::optional<HarnessGrid> foreign;
    if (!options.harness.empty()) foreign = harness_grid(options);
    const GridOptions& o = foreign ? foreign->options : options;
    const TileCoord grid = parse_grid(o.grid);
    std::optional<TileWindow> window;
    if (options.tiles.empty()) {
      require_drawable(grid);
    } else {
      window = parse_tile_window(options.tiles, grid);
    }
    std::optional<GridColor> color;
    if (!options.color.empty()) color = parse_grid_color(options.color);
    const GridReport report =
        report_of(o, foreign ? std::make_shared<GivenOrder>(foreign->order) : nullptr);
    if (options.versus.empty()) {
      return [=](const AvailableSize& available) {
        return grid_diagram(report, color, window, available);
      };
    }
    GridOptions other = o;
    other.raster = options.versus;
    return [=, after = report_of(other, nullptr)](const AvailableSize& available) {
      return grid_comparison(report, after, color, window, available);
    };
  };
  Report report{.notes = write_scene(options.picture, make), .violated = std::move(faults)};
  if (!options.device.empty()) add_rates_notes(resolve_device(options.device).spec, report);
  return report;
}

Report run_draw_access(const AccessOptions& options) {
  return {.notes = write_scene(options.picture, [&] { return access_drawing(options); })};
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

Report run_draw_nested(const NestedOptions& options) {
  const auto make = [&]() -> Drawing {
    const NestedReport report = report_nested(options);
    if (options.subgroup < 0) {
      return [report](const AvailableSize& available) { return nested_diagram(report, available); };
    }
    const NestedSlice slice = slice_of_subgroup(report, options.subgroup);
    const std::string title = format("Subgroup {}: {} of {}", options.subgroup, slice.place,
                                     to_string(vector_shape(report.layout)));
    return [slice, title](const AvailableSize& available) {
      Scene scene = nested_diagram(slice.report, available);
      change_title(scene, title, available.width);
      return scene;
    };
  };
  return {.notes = write_scene(options.picture, make)};
}

Report run_draw_layout(const DrawLayoutOptions& options) {
  return {.notes = write_scene(options.picture, [&] { return layout_drawing(options); })};
}

Report run_draw_schedule(const DrawScheduleOptions& options) {
  std::vector<std::string> faults;
  Report report{
      .notes = write_scene(options.picture, [&] { return schedule_drawing(options, faults); })};
  report.violated = std::move(faults);
  add_rates_notes(resolve_device(options.schedule.device).spec, report);
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
