// What the subjects of draw have in common: the file is checked, then drawn, then written whole.
#pragma once

#include <functional>
#include <string>

#include "base/error.hpp"
#include "console.hpp"
#include "draw/scene.hpp"
#include "draw/trace_diagram.hpp"
#include "options.hpp"
#include "store/measured_json.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// Writes the scene that `make` returns, as the options have it. Throws a usage error for a bad
/// option and for a file that cannot be written, before `make` runs.
ExitCode write_scene(const PictureOptions& options, const std::function<Scene()>& make,
                     Console& console);

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
