// `draw schedule`: who computes what, and when.

#include "base/text.hpp"
#include "draw/assignment_grids.hpp"
#include "draw/schedule_diagram.hpp"
#include "picture_output.hpp"
#include "schedule_subject.hpp"
#include "verbs.hpp"

namespace tilewright {
namespace {

ScheduleLook look_of(const DrawScheduleOptions& o) {
  ScheduleLook look;
  if (!o.view.empty()) look.view = parse_schedule_view(o.view);
  if (o.color.empty()) return look;
  if (o.color != "cta" && o.color != "wave") {
    throw usage_error(format("unknown colour '{}': --color is cta or wave", o.color));
  }
  look.by_cta = o.color == "cta";
  return look;
}

PredictedSchedule predict(const ScheduleOptions& o, const std::string& name) {
  PredictedSchedule p;
  p.name = name;
  ScheduleSubject subject = read_schedule(o);
  require_drawable_units(subject.plan);  // before any of them is recorded
  ScheduleNumbers numbers = report_schedule(subject, &p.spans);
  p.plan = std::move(subject.plan);
  p.report = std::move(numbers.report);
  p.waiting_us = numbers.timeline.waiting_us;
  return p;
}

Scene draw(const DrawScheduleOptions& o) {
  const ScheduleLook look = look_of(o);
  if (o.versus.empty()) return schedule_diagram({predict(o.schedule, "")}, look);
  const ScheduleOptions other = with_changes(o.schedule, o.versus);
  return schedule_diagram({predict(o.schedule, changed_values(o.schedule, o.versus)),
                           predict(other, changed_values(other, o.versus))},
                          look);
}

}  // namespace

ExitCode run_draw_schedule(const DrawScheduleOptions& options, Console& console) {
  return write_scene(
      options.picture, [&] { return draw(options); }, console);
}

}  // namespace tilewright
