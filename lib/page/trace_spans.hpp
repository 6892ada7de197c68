// A recorded launch and its prediction, lane by lane alike.
#pragma once

#include "draw/scene.hpp"
#include "draw/trace_diagram.hpp"
#include "store/measured_json.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

struct TraceSpans {
  LaunchSpans measured;
  LaunchSpans predicted;
  bool second_is_unknown = false;  // predicted, but not recorded, and in neither
};

/// What the trace recorded beside what the model says of the same launch, both from the start of
/// the first tile. A lane is one multiprocessor in both: a predicted CTA stands where the trace saw
/// it, or the first one of its place. Of ping-pong each warpgroup has a lane, and so has what
/// overlaps on a multiprocessor. Throws a usage error for a trace of tiles or CTAs that the launch
/// does not have.
TraceSpans trace_spans(const RecordedTrace& recorded, const DeviceSpec& device);

/// Both as a picture, with their numbers. Throws a usage error for what exceeds one.
Scene trace_picture(const RecordedTrace& recorded, const DeviceSpec& device, const Room& room = {});

}  // namespace tilewright
