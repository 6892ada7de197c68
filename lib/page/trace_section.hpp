// A recorded launch as a part of a report: what every multiprocessor did, over what was predicted.
#pragma once

#include <string>

#include "page/report_page.hpp"
#include "store/measured_json.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// `source` is the file's name. A multiprocessor is a row, which opens to its lanes, the measured
/// ones above the predicted ones. Throws a usage error for a trace that the launch cannot have, or
/// that exceeds a picture.
PageSection trace_section(const RecordedTrace& recorded, const DeviceSpec& device,
                          const std::string& source);

}  // namespace tilewright
