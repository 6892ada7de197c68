#include "page/plan_picture.hpp"

#include "base/error.hpp"
#include "draw/assignment_grids.hpp"
#include "draw/schedule_diagram.hpp"
#include "model/timeline.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {

PlanPicture plan_picture(const Workload& workload, const TileConfig& config,
                         const DeviceSpec& device) {
  try {
    PredictedSchedule p;
    p.plan = make_plan(workload, config, device);
    require_drawable_units(p.plan);
    p.report = report_schedule(p.plan);
    p.report.device = device.name;
    const Timeline timeline = predict_timeline(p.plan, device, &p.spans);
    if (timeline.ends) p.report.predicted_us = timeline.us;
    p.lanes_per_cta = timeline.lanes_per_cta;
    p.waiting_us = timeline.waiting_us;
    return {schedule_diagram({p}, {}), ""};
  } catch (const Error& error) {
    if (error.code() != ExitCode::Usage) throw;
    return {std::nullopt, error.what()};
  }
}

}  // namespace tilewright
