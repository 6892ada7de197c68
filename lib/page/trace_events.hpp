// A launch in the trace event format, for Perfetto and Chrome's tracing page.
#pragma once

#include "page/trace_spans.hpp"
#include "record/document.hpp"

namespace tilewright {

/// The format's `traceEvents`: a process per multiprocessor with a track per lane, measured lanes
/// above predicted ones. Events of a track do not overlap. They are complete events in microseconds
/// from the start of the first tile, with the CTA, unit, tile and k-steps.
Document trace_events(const TraceSpans& spans);

}  // namespace tilewright
