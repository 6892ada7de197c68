// The subject `schedule` of analyze and draw: turns options into a schedule and its numbers.
#pragma once

#include <vector>

#include "model/timeline.hpp"
#include "options.hpp"
#include "tile/plan/schedule_report.hpp"

namespace tilewright {

/// The schedule that the options describe.
struct ScheduleSubject {
  Plan plan;
  DeviceSpec device;
  std::string not_runnable;  // why none of our kernels runs the plan; empty: one does
  // "cluster=1x1,raster=row": keys without an option and their defaults; empty with --config.
  std::string defaults;
};

/// Builds the schedule. Throws a usage error for options that are bad or do not go together.
ScheduleSubject read_schedule(const ScheduleOptions& options);

struct ScheduleNumbers {
  ScheduleReport report;
  Timeline timeline;
};

/// Proves the schedule and predicts its time; with `spans`, appends what every CTA does when.
ScheduleNumbers report_schedule(const ScheduleSubject& subject,
                                std::vector<WorkSpan>* spans = nullptr);

/// The options with the values that "key=value,..." names. A change of a value that the file of
/// --from defines drops that file. Throws a usage error that lists the known keys.
ScheduleOptions with_changes(ScheduleOptions options, const std::string& changes);

/// "raster=row, ctas=132": the options' values of the keys that the changes would change.
std::string changed_values(const ScheduleOptions& options, const std::string& changes);

}  // namespace tilewright
