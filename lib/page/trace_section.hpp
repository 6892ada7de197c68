// A report's section on a recorded launch: every multiprocessor's timeline, with the prediction.
#pragma once

#include <string>

#include "page/report_page.hpp"
#include "store/measured_json.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// `source` is the file's name. Each row is a multiprocessor and opens to its lanes, the measured
/// ones above the predicted ones. Throws a usage error for a trace that does not fit the launch, or
/// that is too large for a picture.
PageSection trace_section(const RecordedTrace& recorded, const DeviceSpec& device,
                          const std::string& source);

}  // namespace tilewright
