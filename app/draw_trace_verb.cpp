// `draw trace`: a launch that was recorded before, on any host.

#include "base/files.hpp"
#include "devices.hpp"
#include "picture_output.hpp"
#include "trace_picture.hpp"
#include "verbs.hpp"

namespace tilewright {

ExitCode run_draw_trace(const DrawTraceOptions& options, Console& console) {
  const auto make = [&] {
    const RecordedTrace recorded = read_trace(read_file(options.file), options.file);
    return trace_picture(recorded, resolve_device(options.device).spec);
  };
  return write_scene(options.picture, make, console);
}

}  // namespace tilewright
