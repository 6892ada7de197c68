// A launch in the trace event format, which Perfetto and Chrome's tracing page read.
#pragma once

#include "page/trace_spans.hpp"
#include "store/document.hpp"

namespace tilewright {

/// The format's `traceEvents`: a process a multiprocessor, in it a track a lane, what was measured
/// first and what was predicted below; no two events of a track overlap. Complete events in
/// microseconds from the first tile's start, with the CTA, its unit, tile and k-steps.
Document trace_events(const TraceSpans& spans);

}  // namespace tilewright
