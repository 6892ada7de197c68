// A kernel's own trace as a picture, beside the predicted timeline.
#pragma once

#include <string>

#include "draw/trace_diagram.hpp"
#include "store/trace_json.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// True where the file's extension asks for a picture.
bool is_picture(const std::string& path);

/// The records by multiprocessor, from the first start; tiles that overlap on one multiprocessor
/// (ping-pong's warpgroups, say) have lanes of their own.
LaunchSpans measured_spans(const KernelTrace& trace);

/// The launch that the trace is of, as the model has it, from the first main loop.
LaunchSpans predicted_spans(const RecordedTrace& recorded, const DeviceSpec& device);

/// Both with their numbers.
Scene trace_picture(const RecordedTrace& recorded, const DeviceSpec& device);

}  // namespace tilewright
