// The subject `schedule` of analyze and draw: turns a request into a schedule and its numbers.
#pragma once

#include <vector>

#include "model/timeline.hpp"
#include "request/schedule_request.hpp"
#include "tile/plan/link_span.hpp"
#include "tile/plan/schedule_report.hpp"

namespace tilewright {

/// The schedule that a request describes.
struct ScheduleSubject {
  Plan plan;
  DeviceSpec device;
  std::string not_runnable;  // why none of our kernels runs the plan; empty: one does
  // "cluster=1x1,raster=row": keys without an option and their defaults; empty with --config.
  std::string defaults;
};

/// Builds the schedule. Throws a usage error for keys that no kernel family has, or for which
/// tilewright cannot choose values.
ScheduleSubject plan_schedule(const ScheduleRequest& request);

struct ScheduleNumbers {
  ScheduleReport report;
  Timeline timeline;
  std::vector<LinkSpan> links;  // of GPU 0, where several share the product
};

/// Proves the schedule and predicts its time; with `spans`, appends what every CTA does when.
ScheduleNumbers report_schedule(const ScheduleSubject& subject,
                                std::vector<WorkSpan>* spans = nullptr);

}  // namespace tilewright
