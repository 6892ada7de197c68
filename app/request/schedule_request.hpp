// What the command line asks of analyze schedule and draw schedule, in the library's types.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "draw/schedule_diagram.hpp"
#include "request/options.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/external_schedule.hpp"
#include "tile/workload/device_spec.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// A problem, and the keys of its schedule. A file of problems or of work is read.
struct ScheduleRequest : ScheduleSettings {
  Workload workload;
  DeviceSpec device;
  ConfigRequest config;  // the keys that are named
  // The other keys have the values that are predicted to be the fastest; otherwise their defaults.
  bool completes = false;
  std::shared_ptr<const ExternalSchedule> external;  // every CTA's work; null: the config decides
};

/// Parses the options once. Throws a usage error for a text that is malformed, and for options that
/// do not go together.
ScheduleRequest read_schedule_request(const ScheduleOptions& options);

/// A schedule of a picture; the name distinguishes two of them.
struct NamedSchedule {
  std::string name;
  ScheduleRequest request;
};

/// `draw schedule`.
struct DrawScheduleRequest {
  std::vector<NamedSchedule> schedules;  // one or two
  ScheduleLook look;
  PictureOptions picture;
};

DrawScheduleRequest read_draw_schedule_request(const DrawScheduleOptions& options);

/// The options with the values that "key=value,..." names. A change of a value that the file of
/// --from defines drops that file. Throws a usage error that lists the known keys.
ScheduleOptions with_changes(ScheduleOptions options, const std::string& changes);

/// "raster=row, ctas=132": the options' values of the keys that the changes would change.
std::string changed_values(const ScheduleOptions& options, const std::string& changes);

}  // namespace tilewright
