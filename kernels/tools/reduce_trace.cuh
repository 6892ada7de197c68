// Trace of the kernel that sums parts: the first thread of each CTA records its times.
#pragma once

#include "ptx/special_registers.cuh"
#include "tools/trace_record.cuh"

namespace tw {

/// Called where a CTA starts to sum. Only CTA 0 records, as the hardware starts it first.
__device__ inline void trace_start(TraceRecord& record) {
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  record.cta = 0;
  record.start_ns = ptx::global_time_ns();
}

/// Called where a CTA has summed; the last one's time remains.
__device__ inline void trace_end(TraceRecord& record) {
  if (threadIdx.x == 0) atomicMax(&record.end_ns, ptx::global_time_ns());
}

}  // namespace tw
