// The subject `schedule` of analyze and draw: options to a schedule and its numbers.
#pragma once

#include <vector>

#include "model/timeline.hpp"
#include "options.hpp"
#include "tile/plan/schedule_report.hpp"

namespace tilewright {

/// What is asked about.
struct ScheduleSubject {
  Plan plan;
  DeviceSpec device;
  std::string not_runnable;  // why no kernel of ours runs the plan; empty: one does
};

/// Counts the schedule out. Throws a usage error for options that are bad or do not go together.
ScheduleSubject read_schedule(const ScheduleOptions& options);

struct ScheduleNumbers {
  ScheduleReport report;
  Timeline timeline;
};

/// Proves and predicts; with `spans`, appends what every CTA does when.
ScheduleNumbers report_schedule(const ScheduleSubject& subject,
                                std::vector<WorkSpan>* spans = nullptr);

/// The options with the values that "key=value,..." names in their place; what a file of work
/// settles takes the file's place. Throws a usage error that says which keys there are.
ScheduleOptions with_changes(ScheduleOptions options, const std::string& changes);

/// "raster=row, ctas=132": what the options have where the changes have something else.
std::string changed_values(const ScheduleOptions& options, const std::string& changes);

}  // namespace tilewright
