// The spans of a recorded launch and of its prediction, on the same lanes.
#pragma once

#include "draw/scene.hpp"
#include "draw/trace_diagram.hpp"
#include "store/measured_json.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

struct TraceSpans {
  LaunchSpans measured;
  LaunchSpans predicted;
  // A second kernel is predicted but was not recorded, and is left out of both.
  bool second_is_unknown = false;
};

/// The recorded and the predicted spans of a launch, both from the start of the first tile. A lane
/// belongs to the same multiprocessor in both: a predicted CTA runs where the trace recorded it, or
/// else where it recorded the first CTA of the same place. Each warpgroup of a ping-pong kernel has
/// a lane, and so do overlapping spans on a multiprocessor. Throws a usage error for tiles or CTAs
/// that the launch does not have.
TraceSpans trace_spans(const RecordedTrace& recorded, const DeviceSpec& device);

/// Draws both with their numbers. Throws a usage error where they are too large for a picture.
Scene trace_picture(const RecordedTrace& recorded, const DeviceSpec& device,
                    const AvailableSize& available = {});

}  // namespace tilewright
